//! The vocabulary of the generated URIs: words, syllables, endings, parameter names.
//!
//! Every table is plain text, split once at the start, so that readers can see and change it.

/// Words of paths, slugs and parameter values.
pub(super) const WORDS: &str = "\
about academic access account action active address admin advice agency agenda album alert alpha amazing analysis \
animal annual apply archive area art article assets audio author award back balance bank base basic beauty before \
best beta bill bird blog board book border bottle box brand bridge brief bright budget build business button \
calendar call camera campus canada card care career case catalog category center chance change channel chart \
chicken child choice city class clean client climate clinic cloud club coast code coffee collection college color \
comment common community company computer concert conference contact content cookie council country county course \
cover craft create credit crime cross culture customer daily dance dark data date deal death debate december \
default defense degree design detail develop device digital dinner direct directory disease display district \
document domain door download draft dream drive early earth east economy edition education election electric \
email energy engine english entry environment episode europe event every example exchange exhibit expert explore \
eye face fact family farm fashion feature federal feed field file film final finance fire first fish fishing five \
flight floor flower focus food football force foreign forest form forum free fresh friend front fruit future \
gallery game garden general gift girl glass global gold golf good government grade grand grant great green ground \
group growth hand happy hardware head health heart help heritage high history holiday home horse hospital \
hotel house how human image impact income index industry info inside instant interview island item january \
job journal july justice key kids kitchen know labor lake land language large last latest law learn legal lesson \
letter level library life light limit line link list live local location logo long love machine magazine mail \
main maker manage manual map march market master match media medical meeting member memory message metal method \
middle military minute mission mobile model modern money month moon morning mother motion mountain movie museum \
music nation nature network never new news night north note notice number nurse object ocean office official \
online open opinion option orange order origin other outdoor overview page paint paper parent park party past \
pattern peace people person phone photo picture place plan planet plant play player point police policy popular \
post power practice press price print privacy problem process product profile program project property public \
question quick quiet race radio rain rapid rate reader real recipe record region release remote rent report \
research resource result review reward rich river road rock room rule safe sale sample school science score \
search season second secret section security select senior series service session share shop show sign simple \
site sky small smart social software solar song sound source south space special speech spirit sport spring staff \
stage standard star start state station status steel stock stone store story strategy street strong student studio \
study style subject summer support survey system table talk team tech term test text theater theme theory ticket \
time tool topic total tour town trade train travel tree trend trial trip truck trust type union unit update upper \
urban user valley value vehicle version video view village vision visit voice vote walk wall war watch water wave \
weather web week welcome west wheel white wild wind window winter woman wood wool word world write year young zone";

/// Words outside ASCII: written percent-encoded in clean URIs, raw in dirty ones.
pub(super) const FOREIGN: &str = "\
café éducation santé été naïve Zürich München größe straße niño español año São João coração Öğretim ışık Ελλάδα \
новости история книга погода 日本語 東京 ニュース 中文 新闻 北京 한국어 العربية مرحبا שלום हिन्दी ไทย";

/// Sixty-four syllables: one for six bits of a host's number.
pub(super) const SYLLABLES: &str = "\
ba be bi bo bu ca co da de di do du fa fe fi fo ga go ha he hi ho ja ka ke ki ko la le li lo lu ma me mi mo mu na \
ne ni no nu pa pe pi po ra re ri ro ru sa se si so su ta te ti to tu van win zen";

/// Top-level domains and their share in thousandths of all hosts, close to the lists' 34,000 hosts.
pub(super) const TLDS: [(&str, u16); 24] = [
    ("com", 490),
    ("org", 160),
    ("gov", 60),
    ("net", 65),
    ("edu", 65),
    ("co.uk", 35),
    ("de", 22),
    ("ca", 13),
    ("com.au", 11),
    ("nl", 9),
    ("fr", 9),
    ("se", 7),
    ("it", 7),
    ("co.jp", 6),
    ("ch", 5),
    ("info", 5),
    ("ru", 5),
    ("pl", 4),
    ("us", 4),
    ("com.br", 4),
    ("io", 4),
    ("es", 4),
    ("museum", 3),
    ("me", 3),
];

/// Subdomains other than `www`.
pub(super) const SUBDOMAINS: &str =
    "blog news data m en shop support docs forum mail static img catalog my search";

/// Short path segments: languages and the technical folders of web sites.
pub(super) const FOLDERS: &str =
    "en de fr es us uk api wp-content uploads static cgi-bin v2 dp gp pub tags p";

/// File endings by frequency: a word that occurs more often here is drawn more often.
pub(super) const ENDINGS: &str = "html html html html html html html htm htm htm xml xml xml pdf pdf pdf rss csv php php aspx json asp jpg png";

/// Parameter names whose value is a number or a token.
pub(super) const ID_KEYS: &str = "id pid page v sid tag ref_ linkId trk position pageNum refId trackingId hl doi volume p q articleId ID _ token";

/// Parameter names whose value is a word or a slug.
pub(super) const WORD_KEYS: &str = "\
accessType language format source author title utm_source utm_medium utm_campaign document journal display cmd \
locale text term category sort view action type";

/// Parameter names whose value is another URI, percent-encoded.
pub(super) const LINK_KEYS: &str = "url u linkurl session_redirect next continue cancel_url redirect";
