//! Ports below 1024 as data: the services they belong to, and those with which a scheme's protocol is compatible (RFC
//! 3986 section 7.2: a request sent to another service's port can smuggle commands into it).

use super::scheme;

/// The first port above the well-known ones (RFC 3986 section 7.2: 0 to 1023).
pub const WELL_KNOWN_END: u16 = 1024;

/// Whether a port below 1024 belongs to any service, or is one that browsers block.
#[must_use]
pub fn is_well_known(port: u16) -> bool {
    services(port).is_some() || BLOCKED.contains(&port)
}

/// Whether a URI of this scheme may name this port without being sent to another service: the port is the scheme's
/// default, or another port of its protocol. In a compound such as `git+ssh` each part counts. Case does not matter.
#[must_use]
pub fn is_compatible(scheme: &[u8], port: u16) -> bool {
    let scheme = scheme.to_ascii_lowercase();
    let parts = scheme.split(|&b| b == b'+');
    parts.chain([scheme.as_slice()]).any(|name| {
        let is_named = |services: &str| services.split(' ').any(|service| service.as_bytes() == name);
        TRANSPORTS.iter().any(|transport| transport.as_bytes() == name)
            || scheme::find(name).is_some_and(|entry| entry.default_port == Some(port))
            || services(port).is_some_and(is_named)
            || BESIDES.iter().any(|(other, ports)| other.as_bytes() == name && ports.contains(&port))
    })
}

/// The names of the services of a port, with spaces between.
fn services(port: u16) -> Option<&'static str> {
    SERVICES.binary_search_by_key(&port, |&(port, _)| port).ok().map(|at| SERVICES[at].1)
}

/// Schemes that name a transport and no service: the author of the URI speaks the protocol that the port expects.
const TRANSPORTS: [&str; 6] = ["dtls", "quic", "ssl", "tcp", "tls", "udp"];

/// Ports below 1024 that a scheme's protocol uses besides its default port and the one that IANA registers under the
/// scheme's name.
const BESIDES: &[(&str, &[u16])] = &[
    ("afp", &[548]),
    ("cifs", &[139, 445]),
    ("davs", &[443]),
    ("dav", &[80]),
    // DNS over TLS (RFC 7858).
    ("dns", &[853]),
    ("fish", &[22]),
    ("ftp", &[20]),
    ("ftpes", &[21]),
    // The data's ports, and the upgrade on the plain port (RFC 4217).
    ("ftps", &[20, 21, 989]),
    // http-alt.
    ("http", &[591]),
    // RFC 7472.
    ("ipps", &[631]),
    ("iris", &[702, 713, 714, 715]),
    ("iris.beep", &[702]),
    ("iris.lwz", &[715]),
    ("iris.xpc", &[713]),
    ("iris.xpcs", &[714]),
    ("lpd", &[515]),
    ("lpr", &[515]),
    ("pops", &[995]),
    ("rexec", &[512]),
    ("rlogin", &[513]),
    ("rsh", &[514]),
    ("rtspt", &[554]),
    ("rtspu", &[554]),
    ("scp", &[22]),
    ("smb", &[139, 445]),
    // Submission, with TLS and without (RFC 6409, RFC 8314).
    ("smtp", &[465, 587]),
    ("smtps", &[465, 587]),
    ("snews", &[563]),
    ("snmp", &[162]),
    ("soap.beep", &[605]),
    ("soap.beeps", &[605]),
    // RFC 6270.
    ("tn3270", &[23, 992]),
    ("wais", &[210]),
    ("webdav", &[80]),
    ("webdavs", &[443]),
    ("whois", &[43]),
    ("xmlrpc.beep", &[602]),
    ("xmlrpc.beeps", &[602]),
    ("z39.50r", &[210]),
    ("z39.50s", &[210]),
];

/// Ports below 1024 that browsers block for HTTP (WHATWG Fetch, "Port blocking", as of its review draft of June 2026).
#[rustfmt::skip]
const BLOCKED: &[u16] = &[
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109,
    110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531,
    532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995,
];

/// The services of IANA's Service Name and Transport Protocol Port Number Registry below 1024, as of 30 April 2024:
/// every assigned port, of any transport, with the names in lower case.
#[rustfmt::skip]
const SERVICES: &[(u16, &str)] = &[
    (1, "tcpmux"), (2, "compressnet"), (3, "compressnet"), (5, "rje"), (7, "echo"), (9, "discard"), (11, "systat"),
    (13, "daytime"), (17, "qotd"), (18, "msp"), (19, "chargen"), (20, "ftp-data"), (21, "ftp"), (22, "ssh"),
    (23, "telnet"), (25, "smtp"), (27, "nsw-fe"), (29, "msg-icp"), (31, "msg-auth"), (33, "dsp"), (37, "time"),
    (38, "rap"), (39, "rlp"), (41, "graphics"), (42, "name nameserver"), (43, "nicname"), (44, "mpm-flags"),
    (45, "mpm"), (46, "mpm-snd"), (48, "auditd"), (49, "tacacs"), (50, "re-mail-ck"), (52, "xns-time"),
    (53, "domain"), (54, "xns-ch"), (55, "isi-gl"), (56, "xns-auth"), (58, "xns-mail"), (62, "acas"),
    (63, "whoispp whois++"), (64, "covia"), (65, "tacacs-ds"), (66, "sql-net sql*net"), (67, "bootps"),
    (68, "bootpc"), (69, "tftp"), (70, "gopher"), (71, "netrjs-1"), (72, "netrjs-2"), (73, "netrjs-3"),
    (74, "netrjs-4"), (76, "deos"), (78, "vettcp"), (79, "finger"), (80, "http www www-http"), (82, "xfer"),
    (83, "mit-ml-dev"), (84, "ctf"), (85, "mit-ml-dev"), (86, "mfcobol"), (88, "kerberos"), (89, "su-mit-tg"),
    (90, "dnsix"), (91, "mit-dov"), (92, "npp"), (93, "dcp"), (94, "objcall"), (95, "supdup"), (96, "dixie"),
    (97, "swift-rvf"), (98, "tacnews"), (99, "metagram"), (101, "hostname"), (102, "iso-tsap"), (103, "gppitnp"),
    (104, "acr-nema"), (105, "cso csnet-ns"), (106, "3com-tsmux"), (107, "rtelnet"), (108, "snagas"), (109, "pop2"),
    (110, "pop3"), (111, "sunrpc"), (112, "mcidas"), (113, "ident auth"), (115, "sftp"), (116, "ansanotify"),
    (117, "uucp-path"), (118, "sqlserv"), (119, "nntp"), (120, "cfdptkt"), (121, "erpc"), (122, "smakynet"),
    (123, "ntp"), (124, "ansatrader"), (125, "locus-map"), (126, "nxedit"), (127, "locus-con"), (128, "gss-xlicen"),
    (129, "pwdgen"), (130, "cisco-fna"), (131, "cisco-tna"), (132, "cisco-sys"), (133, "statsrv"),
    (134, "ingres-net"), (135, "epmap"), (136, "profile"), (137, "netbios-ns"), (138, "netbios-dgm"),
    (139, "netbios-ssn"), (140, "emfis-data"), (141, "emfis-cntl"), (142, "bl-idm"), (143, "imap"), (144, "uma"),
    (145, "uaac"), (146, "iso-tp0"), (147, "iso-ip"), (148, "jargon"), (149, "aed-512"), (150, "sql-net"),
    (151, "hems"), (152, "bftp"), (153, "sgmp"), (154, "netsc-prod"), (155, "netsc-dev"), (156, "sqlsrv"),
    (157, "knet-cmp"), (158, "pcmail-srv"), (159, "nss-routing"), (160, "sgmp-traps"), (161, "snmp"),
    (162, "snmptrap"), (163, "cmip-man"), (164, "cmip-agent"), (165, "xns-courier"), (166, "s-net"), (167, "namp"),
    (168, "rsvd"), (169, "send"), (170, "print-srv"), (171, "multiplex"), (172, "cl-1 cl/1"), (173, "xyplex-mux"),
    (174, "mailq"), (175, "vmnet"), (176, "genrad-mux"), (177, "xdmcp"), (178, "nextstep"), (179, "bgp"),
    (180, "ris"), (181, "unify"), (182, "audit"), (183, "ocbinder"), (184, "ocserver"), (185, "remote-kis"),
    (186, "kis"), (187, "aci"), (188, "mumps"), (189, "qft"), (190, "gacp"), (191, "prospero"), (192, "osu-nms"),
    (193, "srmp"), (194, "irc"), (195, "dn6-nlm-aud"), (196, "dn6-smm-red"), (197, "dls"), (198, "dls-mon"),
    (199, "smux"), (200, "src"), (201, "at-rtmp"), (202, "at-nbp"), (203, "at-3"), (204, "at-echo"), (205, "at-5"),
    (206, "at-zis"), (207, "at-7"), (208, "at-8"), (209, "qmtp"), (210, "z39-50 z39.50"), (211, "914c-g 914c/g"),
    (212, "anet"), (213, "ipx"), (214, "vmpwscs"), (215, "softpc"), (216, "cailic"), (217, "dbase"), (218, "mpp"),
    (219, "uarps"), (220, "imap3"), (221, "fln-spx"), (222, "rsh-spx"), (223, "cdc"), (224, "masqdialer"),
    (242, "direct"), (243, "sur-meas"), (244, "inbusiness"), (245, "link"), (246, "dsp3270"),
    (247, "subntbcst-tftp subntbcst_tftp"), (248, "bhfhs"), (256, "rap"), (257, "set"), (259, "esro-gen"),
    (260, "openport"), (261, "nsiiops"), (262, "arcisdms"), (263, "hdap"), (264, "bgmp"), (265, "x-bone-ctl"),
    (266, "sst"), (267, "td-service"), (268, "td-replica"), (269, "manet"), (270, "gist"), (271, "pt-tls"),
    (280, "http-mgmt"), (281, "personal-link"), (282, "cableport-ax"), (283, "rescap"), (284, "corerjd"),
    (286, "fxp"), (287, "k-block"), (308, "novastorbakcup"), (309, "entrusttime"), (310, "bhmds"),
    (311, "asip-webadmin"), (312, "vslmp"), (313, "magenta-logic"), (314, "opalis-robot"), (315, "dpsi"),
    (316, "decauth"), (317, "zannet"), (318, "pkix-timestamp"), (319, "ptp-event"), (320, "ptp-general"),
    (321, "pip"), (322, "rtsps"), (323, "rpki-rtr"), (324, "rpki-rtr-tls"), (333, "texar"), (344, "pdap"),
    (345, "pawserv"), (346, "zserv"), (347, "fatserv"), (348, "csi-sgwp"), (349, "mftp"), (350, "matip-type-a"),
    (351, "matip-type-b bhoetty"), (352, "dtag-ste-sb bhoedap4"), (353, "ndsauth"), (354, "bh611"),
    (355, "datex-asn"), (356, "cloanto-net-1"), (357, "bhevent"), (358, "shrinkwrap"), (360, "scoi2odialog"),
    (361, "semantix"), (362, "srssend"), (363, "rsvp-tunnel rsvp_tunnel"), (364, "aurora-cmgr"), (365, "dtk"),
    (366, "odmr"), (367, "mortgageware"), (368, "qbikgdp"), (369, "rpc2portmap"), (370, "codaauth2"),
    (371, "clearcase"), (372, "ulistproc"), (373, "legent-1"), (374, "legent-2"), (375, "hassle"), (376, "nip"),
    (377, "tnetos"), (378, "dsetos"), (379, "is99c"), (380, "is99s"), (381, "hp-collector"), (382, "hp-managed-node"),
    (383, "hp-alarm-mgr"), (384, "arns"), (385, "ibm-app"), (386, "asa"), (387, "aurp"), (388, "unidata-ldm"),
    (389, "ldap"), (390, "uis"), (391, "synotics-relay"), (392, "synotics-broker"), (393, "meta5"), (394, "embl-ndt"),
    (395, "netcp"), (396, "netware-ip"), (397, "mptn"), (398, "kryptolan"), (399, "iso-tsap-c2"), (400, "osb-sd"),
    (401, "ups"), (402, "genie"), (403, "decap"), (404, "nced"), (405, "ncld"), (406, "imsp"), (407, "timbuktu"),
    (408, "prm-sm"), (409, "prm-nm"), (410, "decladebug"), (411, "rmt"), (412, "synoptics-trap"), (413, "smsp"),
    (414, "infoseek"), (415, "bnet"), (416, "silverplatter"), (417, "onmux"), (418, "hyper-g"), (419, "ariel1"),
    (420, "smpte"), (421, "ariel2"), (422, "ariel3"), (423, "opc-job-start"), (424, "opc-job-track"),
    (425, "icad-el"), (426, "smartsdp"), (427, "svrloc"), (428, "ocs-cmu ocs_cmu"), (429, "ocs-amu ocs_amu"),
    (430, "utmpsd"), (431, "utmpcd"), (432, "iasd"), (433, "nnsp"), (434, "mobileip-agent"), (435, "mobilip-mn"),
    (436, "dna-cml"), (437, "comscm"), (438, "dsfgw"), (439, "dasp"), (440, "sgcp"), (441, "decvms-sysmgt"),
    (442, "cvc-hostd cvc_hostd"), (443, "https"), (444, "snpp"), (445, "microsoft-ds"), (446, "ddm-rdb"),
    (447, "ddm-dfm"), (448, "ddm-ssl"), (449, "as-servermap"), (450, "tserver"), (451, "sfs-smp-net"),
    (452, "sfs-config"), (453, "creativeserver"), (454, "contentserver"), (455, "creativepartnr"),
    (456, "macon-tcp macon-udp"), (457, "scohelp"), (458, "appleqtc"), (459, "ampr-rcmd"), (460, "skronk"),
    (461, "datasurfsrv"), (462, "datasurfsrvsec"), (463, "alpes"), (464, "kpasswd"),
    (465, "urd submissions igmpv3lite"), (466, "digital-vrc"), (467, "mylex-mapd"), (468, "photuris"), (469, "rcp"),
    (470, "scx-proxy"), (471, "mondex"), (472, "ljk-login"), (473, "hybrid-pop"), (474, "tn-tl-w1 tn-tl-w2"),
    (475, "tcpnethaspsrv"), (476, "tn-tl-fd1"), (477, "ss7ns"), (478, "spsc"), (479, "iafserver"), (480, "iafdbase"),
    (481, "ph"), (482, "bgs-nsi"), (483, "ulpnet"), (484, "integra-sme"), (485, "powerburst"), (486, "avian"),
    (487, "saft"), (488, "gss-http"), (489, "nest-protocol"), (490, "micom-pfs"), (491, "go-login"), (492, "ticf-1"),
    (493, "ticf-2"), (494, "pov-ray"), (495, "intecourier"), (496, "pim-rp-disc"), (497, "retrospect"), (498, "siam"),
    (499, "iso-ill"), (500, "isakmp"), (501, "stmf"), (502, "mbap"), (503, "intrinsa"), (504, "citadel"),
    (505, "mailbox-lm"), (506, "ohimsrv"), (507, "crs"), (508, "xvttp"), (509, "snare"), (510, "fcp"),
    (511, "passgo"), (512, "exec comsat biff"), (513, "login who"), (514, "shell syslog"), (515, "printer"),
    (516, "videotex"), (517, "talk"), (518, "ntalk"), (519, "utime"), (520, "efs router"), (521, "ripng"),
    (522, "ulp"), (523, "ibm-db2"), (524, "ncp"), (525, "timed"), (526, "tempo"), (527, "stx"), (528, "custix"),
    (529, "irc-serv"), (530, "courier"), (531, "conference"), (532, "netnews"), (533, "netwall"), (534, "windream"),
    (535, "iiop"), (536, "opalis-rdv"), (537, "nmsp"), (538, "gdomap"), (539, "apertus-ldp"), (540, "uucp"),
    (541, "uucp-rlogin"), (542, "commerce"), (543, "klogin"), (544, "kshell"), (545, "appleqtcsrvr"),
    (546, "dhcpv6-client"), (547, "dhcpv6-server"), (548, "afpovertcp"), (549, "idfp"), (550, "new-rwho"),
    (551, "cybercash"), (552, "devshr-nts"), (553, "pirp"), (554, "rtsp"), (555, "dsf"), (556, "remotefs"),
    (557, "openvms-sysipc"), (558, "sdnskmp"), (559, "teedtap"), (560, "rmonitor"), (561, "monitor"),
    (562, "chshell"), (563, "nntps"), (564, "9pfs"), (565, "whoami"), (566, "streettalk"), (567, "banyan-rpc"),
    (568, "ms-shuttle"), (569, "ms-rome"), (570, "meter"), (571, "meter"), (572, "sonar"), (573, "banyan-vip"),
    (574, "ftp-agent"), (575, "vemmi"), (576, "ipcd"), (577, "vnas"), (578, "ipdd"), (579, "decbsrv"),
    (580, "sntp-heartbeat"), (581, "bdp"), (582, "scc-security"), (583, "philips-vc"), (584, "keyserver"),
    (586, "password-chg"), (587, "submission"), (588, "cal"), (589, "eyelink"), (590, "tns-cml"), (591, "http-alt"),
    (592, "eudora-set"), (593, "http-rpc-epmap"), (594, "tpip"), (595, "cab-protocol"), (596, "smsd"),
    (597, "ptcnameservice"), (598, "sco-websrvrmg3"), (599, "acp"), (600, "ipcserver"), (601, "syslog-conn"),
    (602, "xmlrpc-beep"), (603, "idxp"), (604, "tunnel"), (605, "soap-beep"), (606, "urm"), (607, "nqs"),
    (608, "sift-uft"), (609, "npmp-trap"), (610, "npmp-local"), (611, "npmp-gui"), (612, "hmmp-ind"),
    (613, "hmmp-op"), (614, "sshell"), (615, "sco-inetmgr"), (616, "sco-sysmgr"), (617, "sco-dtmgr"),
    (618, "dei-icda"), (619, "compaq-evm"), (620, "sco-websrvrmgr"), (621, "escp-ip"), (622, "collaborator"),
    (623, "oob-ws-http asf-rmcp"), (624, "cryptoadmin"), (625, "dec-dlm dec_dlm"), (626, "asia"),
    (627, "passgo-tivoli"), (628, "qmqp"), (629, "3com-amp3"), (630, "rda"), (631, "ipp ipps"), (632, "bmpp"),
    (633, "servstat"), (634, "ginad"), (635, "rlzdbase"), (636, "ldaps"), (637, "lanserver"), (638, "mcns-sec"),
    (639, "msdp"), (640, "entrust-sps"), (641, "repcmd"), (642, "esro-emsdp"), (643, "sanity"), (644, "dwr"),
    (645, "pssc"), (646, "ldp"), (647, "dhcp-failover"), (648, "rrp"), (649, "cadview-3d"), (650, "obex"),
    (651, "ieee-mms"), (652, "hello-port"), (653, "repscmd"), (654, "aodv"), (655, "tinc"), (656, "spmp"),
    (657, "rmc"), (658, "tenfold"), (660, "mac-srvr-admin"), (661, "hap"), (662, "pftp"), (663, "purenoise"),
    (664, "oob-ws-https asf-secure-rmcp"), (665, "sun-dr"), (666, "mdqs doom"), (667, "disclose"), (668, "mecomm"),
    (669, "meregister"), (670, "vacdsm-sws"), (671, "vacdsm-app"), (672, "vpps-qua"), (673, "cimplex"), (674, "acap"),
    (675, "dctp"), (676, "vpps-via"), (677, "vpp"), (678, "ggf-ncp"), (679, "mrm"), (680, "entrust-aaas"),
    (681, "entrust-aams"), (682, "xfr"), (683, "corba-iiop"), (684, "corba-iiop-ssl"), (685, "mdc-portmapper"),
    (686, "hcp-wismar"), (687, "asipregistry"), (688, "realm-rusd"), (689, "nmap"), (690, "vatp"),
    (691, "msexch-routing"), (692, "hyperwave-isp"), (693, "connendp"), (694, "ha-cluster"), (695, "ieee-mms-ssl"),
    (696, "rushd"), (697, "uuidgen"), (698, "olsr"), (699, "accessnetwork"), (700, "epp"), (701, "lmp"),
    (702, "iris-beep"), (704, "elcsd"), (705, "agentx"), (706, "silc"), (707, "borland-dsj"), (709, "entrust-kmsh"),
    (710, "entrust-ash"), (711, "cisco-tdp"), (712, "tbrpf"), (713, "iris-xpc"), (714, "iris-xpcs"),
    (715, "iris-lwz"), (716, "pana"), (729, "netviewdm1"), (730, "netviewdm2"), (731, "netviewdm3"), (741, "netgw"),
    (742, "netrcs"), (744, "flexlm"), (747, "fujitsu-dev"), (748, "ris-cm"), (749, "kerberos-adm"),
    (750, "rfile loadav kerberos-iv"), (751, "pump"), (752, "qrh"), (753, "rrh"), (754, "tell"), (758, "nlogin"),
    (759, "con"), (760, "ns"), (761, "rxe"), (762, "quotad"), (763, "cycleserv"), (764, "omserv"), (765, "webster"),
    (767, "phonebook"), (769, "vid"), (770, "cadlock"), (771, "rtip"), (772, "cycleserv2"), (773, "submit notify"),
    (774, "rpasswd acmaint-dbd acmaint_dbd"), (775, "entomb acmaint-transd acmaint_transd"), (776, "wpages"),
    (777, "multiling-http"), (780, "wpgs"), (800, "mdbs-daemon mdbs_daemon"), (801, "device"), (802, "mbap-s"),
    (810, "fcp-udp"), (828, "itm-mcell-s"), (829, "pkix-3-ca-ra"), (830, "netconf-ssh"), (831, "netconf-beep"),
    (832, "netconfsoaphttp"), (833, "netconfsoapbeep"), (847, "dhcp-failover2"), (848, "gdoi"), (853, "domain-s"),
    (854, "dlep"), (860, "iscsi"), (861, "owamp-control owamp-test"), (862, "twamp-control twamp-test"),
    (873, "rsync"), (886, "iclcnet-locate"), (887, "iclcnet-svinfo iclcnet_svinfo"), (888, "accessbuilder cddbp"),
    (900, "omginitialrefs"), (901, "smpnameres"), (902, "ideafarm-door"), (903, "ideafarm-panic"), (910, "kink"),
    (911, "xact-backup"), (912, "apex-mesh"), (913, "apex-edge"), (914, "rift-lies"), (915, "rift-ties"),
    (953, "rndc"), (989, "ftps-data"), (990, "ftps"), (991, "nas"), (992, "telnets"), (993, "imaps"), (995, "pop3s"),
    (996, "vsinet"), (997, "maitrd"), (998, "busboy puparp"), (999, "garcon applix puprouter"), (1000, "cadlock2"),
    (1001, "webpush"), (1010, "surf"), (1021, "exp1"), (1022, "exp2"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_is_sorted_and_below_1024() {
        assert!(SERVICES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(BLOCKED.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(
            SERVICES.iter().map(|row| row.0).chain(BLOCKED.iter().copied()).all(|port| port < WELL_KNOWN_END)
        );
        assert_eq!((0..WELL_KNOWN_END).filter(|&port| is_well_known(port)).count(), 694);
        assert!(SERVICES.iter().all(|(_, names)| !names.contains(|c: char| c.is_ascii_uppercase())));
        assert!(BESIDES.iter().all(|(_, ports)| ports.iter().all(|&port| is_well_known(port))));
    }

    /// A scheme's default port is never flagged as another service's.
    #[test]
    fn every_scheme_is_compatible_with_its_default_port() {
        for entry in scheme::SCHEMES {
            if let Some(port) = entry.default_port {
                assert!(is_compatible(entry.name.to_ascii_uppercase().as_bytes(), port), "{}", entry.name);
            }
        }
    }
}
