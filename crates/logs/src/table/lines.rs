//! The definitions of logs whose lines have their fields in fixed places: see [`crate::pattern`], and
//! [`crate::forms`] for the forms of their values.

use super::Form::Lines;
use super::{Definition, Writer};

/// With the braces of captured headers; a configuration may capture none.
macro_rules! haproxy {
    ($headers:literal) => {
        concat!(
            "{client:endpoint} [{time:time}] {frontend=proxy} {backend=proxy}/{server=proxy?} ",
            "{request_us:ms=signed}/{queue_us:ms=signed}/{connect_us:ms=signed}/{response_us:ms=signed}/",
            "{duration_us:ms=signed} {status:int=status} {size:long=signed} {request_cookie=cookie} ",
            "{response_cookie=cookie} {termination_state=state} {process_connections:int=signed}/",
            "{frontend_connections:int=signed}/{backend_connections:int=signed}/{server_connections:int=signed}/",
            "{retries:int=signed} {server_queue:int=signed}/{backend_queue:int=signed}",
            $headers,
            " \"{:request=unquoted}\" {rest:rest=haproxy-tail}"
        )
    };
}

/// Some records of S3 have the dash for an absent field without quotes. Then the id of the version must follow, or its
/// dash would be taken for the user agent if a field is missing.
macro_rules! s3 {
    ($request:literal, $referer:literal, $user_agent:literal) => {
        concat!(
            "{bucket_owner=owner~owner-id!} {bucket=bucket!} [{time:time}] {client:addr} {requester=requester} {request_id=id!} ",
            "{operation=operation!} {key=word} ",
            $request,
            " {status:int=status} {error_code=error} {size:long=whole} {object_size:long=whole} ",
            "{duration_us:ms=whole} {turn_around_us:ms=whole} ",
            $referer,
            " ",
            $user_agent,
            " {version_id=version}{?} {host_id=base64} {signature_version=sigv} {cipher_suite=cipher} ",
            "{authentication_type=authentication} {:host=dns}{?} {tls_version:secure=tls}{?} {access_point_arn=access-point}{?} ",
            "{acl_required=yes}{?} {source_region=region} {rest:rest=nothing}"
        )
    };
}

/// The form with this unit of its duration, and this way in which the response was sent.
macro_rules! uwsgi {
    ($duration:literal) => {
        concat!(
            "[pid: {pid:int=whole}|app: {app=signed}|req: {app_request=signed}/{worker_request=whole}] ",
            "{client:addr=address?} ({user}) {{variables=variables}} [{time:time}] {:method=method} {:url=target} ",
            "=> generated {size:long=whole} bytes in ",
            $duration,
            " ({protocol:protocol=protocol} {status:int=status}) {rest:rest=uwsgi-tail}"
        )
    };
}

/// The form with these fields between flags and sizes, and at the end, which have changed with Istio's versions.
macro_rules! istio {
    ($details:literal) => {
        istio!($details, "\"{upstream_failure=failure}\"", "{server_name=sni} {route_name=route}")
    };
    ($details:literal, $failure:literal, $end:literal) => {
        concat!(
            "[{time:time}] \"{:request}\" {status:int=status} {response_flags=flags} ",
            $details,
            $failure,
            " {request_size:long=whole} {size:long=whole} {duration_us:ms=whole} ",
            "{upstream_us:ms=whole} \"{forwarded_for~addresses}\" \"{user_agent}\" \"{request_id=word~request-id}\" ",
            "\"{:host=unquoted~authority}\" \"{upstream=socket}\" {upstream_cluster=cluster} {upstream_local=socket} ",
            "{downstream_local:listener=socket!} {client:endpoint} ",
            $end,
            " {rest:rest=nothing}"
        )
    };
}

/// The form with or without the client's real address, with a user of one word or more, with or without the alternative
/// service, and with the id of the request, which older versions may lack.
macro_rules! nginx_ingress {
    ($real_ip:literal, $user:literal, $alternative:literal, $id:literal) => {
        concat!(
            "{client:addr} - ",
            $real_ip,
            $user,
            " [{time:time}] \"{:request}\" {status:int=status!} {size:long=whole!} \"{referer~url}\" ",
            "\"{user_agent}\" {request_size:long=whole!} {duration_us:s=fraction} [{upstream_name=service-name}] ",
            $alternative,
            "{upstream:list=servers} {upstream_size:list=sizes} {upstream_time:list=times} ",
            "{upstream_status_list:list=answers}",
            $id
        )
    };
}

/// The form with one status of the server that was asked, or with several.
macro_rules! nginx_proxy_manager {
    ($upstream:literal) => {
        concat!(
            "[{time:time}] {cache_status=cached} ",
            $upstream,
            " {status:int=status!} - {:method=method} {:scheme=scheme} {:host=host} \"{:url}\" ",
            "[Client {client:addr}] [Length {size:long=whole}] [Gzip {gzip_ratio=ratio}] [Sent-to {upstream=word}] ",
            "\"{user_agent}\" \"{referer~url}\""
        )
    };
}

/// The form with these lists of targets and their statuses.
macro_rules! alb {
    ($targets:literal) => {
        concat!(
            "{type=type} {time:time} {elb=name!} {client:endpoint!} {target:endpoint} {request_processing_us:s=fraction!} ",
            "{target_processing_us:s=fraction!} {response_processing_us:s=fraction!} {status:int=status} ",
            "{target_status:int=status} {request_size:long=whole} {size:long=whole} \"{:request}\" \"{user_agent}\" ",
            "{ssl_cipher=cipher} {ssl_protocol=tls} {target_group_arn=arn} \"{trace_id=trace}\"{?} ",
            "\"{domain_name=domain}\" \"{chosen_cert_arn=arn}\"{?} {rule_priority=signed} ",
            "{request_creation_time:time} \"{actions_executed=actions}\"{?} \"{redirect_url=redirect}\"{?} ",
            "\"{error_reason=reason}\"{?} ",
            $targets,
            "{?} \"{classification=class}\" \"{classification_reason=reason}\" {rest:rest=alb-tail}"
        )
    };
}

/// The form with a user of one word or more, and with or without quotes around the referer: early versions write a dash
/// for it without quotes.
macro_rules! traefik {
    ($user:literal, $referer:literal) => {
        concat!(
            "{client:addr} - ",
            $user,
            " [{time:time}] \"{:request}\" {status:int=status!} {size:long=whole!} ",
            $referer,
            " \"{user_agent:quotes}\" {request_number:long=whole!} \"{router:quotes=label}\" \"{upstream=service}\" ",
            "{duration_us:ms}"
        )
    };
}

pub(crate) const LINES: &[Definition] = &[
    Definition {
        name: "alb",
        about: "AWS Application Load Balancer",
        form: Lines(
            Writer::Escapes,
            &[
                alb!("\"{target_list=targets}\" \"{target_status_list=statuses}\""),
                alb!("{target_list=targets} {target_status_list=statuses}"),
            ],
        ),
    },
    Definition {
        name: "elb",
        about: "AWS Classic Load Balancer (ELB)",
        form: Lines(
            Writer::Escapes,
            &[
                "{time:time} {elb=name!} {client:endpoint!} {target:endpoint} {request_processing_us:s=fraction!} \
               {target_processing_us:s=fraction!} {response_processing_us:s=fraction!} {status:int=status} \
               {target_status:int=status} {request_size:long=whole} {size:long=whole} \"{:request}\"{?} \
               \"{user_agent}\" {ssl_cipher=cipher} {ssl_protocol=tls} {rest:rest=nothing}",
            ],
        ),
    },
    Definition {
        name: "s3",
        about: "server access log of Amazon S3",
        form: Lines(
            Writer::Raw,
            &[
                s3!("\"{:request}\"", "\"{referer~url}\"", "\"{user_agent}\"{?}"),
                s3!("\"{:request}\"", "\"{referer~url}\"", "{user_agent=none}"),
                s3!("\"{:request}\"", "{referer=none}", "\"{user_agent}\""),
                s3!("\"{:request}\"", "{referer=none}", "{user_agent=none}"),
                s3!("{:request=none}", "\"{referer~url}\"", "\"{user_agent}\"{?}"),
                s3!("{:request=none}", "\"{referer~url}\"", "{user_agent=none}"),
                s3!("{:request=none}", "{referer=none}", "\"{user_agent}\""),
                s3!("{:request=none}", "{referer=none}", "{user_agent=none}"),
            ],
        ),
    },
    Definition {
        name: "haproxy",
        about: "HAProxy, its HTTP format",
        form: Lines(
            Writer::Raw,
            &[haproxy!(" {{request_headers}} {{response_headers}}"), haproxy!(""), haproxy!(" {{headers}}")],
        ),
    },
    Definition {
        name: "squid",
        about: "Squid, its native format",
        form: Lines(
            Writer::Pads,
            &[
                "{time:time} {duration_us:ms=signed!} {client=client!} {cache_result=cache}/{status:int=status!} \
               {size:long=whole!} {:method=method} {:proxied=target} {user:percent=user} {hierarchy=hierarchy}/{peer=word} \
               {mime=mime} {rest:rest=squid-tail}",
            ],
        ),
    },
    Definition {
        name: "squid-combined",
        about: "Squid, its combined format: the result of the cache behind the Combined Log Format",
        form: Lines(
            Writer::Escapes,
            &[
                "{client=client} {ident=ident} {user=user} [{time:time}] \"{:proxied-request}\" {status:int=status!} \
               {size:long=whole!} \"{referer~url}\" \"{user_agent}\" {cache_result=cache}:{hierarchy=hierarchy}",
            ],
        ),
    },
    Definition {
        name: "uwsgi",
        about: "uWSGI, its own format",
        form: Lines(
            Writer::Escapes,
            &[
                uwsgi!("{duration_us:ms=whole} msecs"),
                uwsgi!("{duration_us:us=whole} micros"),
                uwsgi!("{duration_us:ms=whole} msecs via sendfile()"),
                uwsgi!("{duration_us:us=whole} micros via sendfile()"),
                uwsgi!("{duration_us:ms=whole} msecs via offload()"),
                uwsgi!("{duration_us:us=whole} micros via offload()"),
                uwsgi!("{duration_us:ms=whole} msecs via route()"),
                uwsgi!("{duration_us:us=whole} micros via route()"),
            ],
        ),
    },
    Definition {
        name: "nginx-proxy-manager",
        about: "Nginx Proxy Manager, its proxy and standard formats",
        form: Lines(
            Writer::Escapes,
            &[
                nginx_proxy_manager!("{upstream_status:int=status}"),
                // Several servers were asked.
                nginx_proxy_manager!("{upstream_status_list:list=several!}"),
                "[{time:time}] {status:int=status!} - {:method=method} {:scheme=scheme} {:host=host} \"{:url}\" \
                 [Client {client:addr}] [Length {size:long=whole}] [Gzip {gzip_ratio=ratio}] \"{user_agent}\" \
                 \"{referer~url}\"",
            ],
        ),
    },
    Definition {
        name: "envoy",
        about: "Envoy, its default format",
        form: Lines(
            Writer::Raw,
            &[
                "[{time:time}] \"{:request}\" {status:int=status} {response_flags=flags} {request_size:long=whole} \
               {size:long=whole} {duration_us:ms=whole} {upstream_us:ms=whole} \"{forwarded_for~addresses}\" \
               \"{user_agent}\" \"{request_id=word~request-id}\" \"{:host=unquoted~authority}\" \"{upstream=socket}\" {rest:rest=nothing}",
            ],
        ),
    },
    Definition {
        name: "istio",
        about: "Istio, Envoy's format as it has it",
        form: Lines(
            Writer::Raw,
            &[
                istio!("{response_details=details} {termination_details=details} "),
                istio!(""),
                istio!("\"{mixer_status=word-mixer}\" "),
                istio!("", "\"{mixer_status=mixer}\"", "{server_name=mesh}"),
                istio!(
                    "\"{mixer_status=word-mixer}\" ",
                    "\"{upstream_failure=failure}\"",
                    "{server_name=mesh}"
                ),
            ],
        ),
    },
    Definition {
        name: "traefik",
        about: "Traefik, its Common Log Format",
        form: Lines(
            Writer::Raw,
            &[
                traefik!("{user=user}", "\"{referer:quotes~url}\""),
                traefik!("{user=user}", "{referer=none}"),
                traefik!("{user:words=names!}", "\"{referer:quotes~url}\""),
                traefik!("{user:words=names!}", "{referer=none}"),
            ],
        ),
    },
    Definition {
        name: "nginx-ingress",
        about: "the NGINX Ingress controller of Kubernetes",
        form: Lines(
            Writer::Escapes,
            &[
                nginx_ingress!("", "{user=user}", "[{alternative_upstream=word}] ", " {request_id=word}"),
                nginx_ingress!(
                    "[{the_real_ip=address}] - ",
                    "{user=user}",
                    "[{alternative_upstream=word}] ",
                    " {request_id=word}"
                ),
                nginx_ingress!("[{the_real_ip=address}] - ", "{user=user}", "", "{?} {request_id=hash}"),
                nginx_ingress!(
                    "",
                    "{user:words=names!}",
                    "[{alternative_upstream=word}] ",
                    " {request_id=word}"
                ),
                nginx_ingress!(
                    "[{the_real_ip=address}] - ",
                    "{user:words=names!}",
                    "[{alternative_upstream=word}] ",
                    " {request_id=word}"
                ),
                nginx_ingress!(
                    "[{the_real_ip=address}] - ",
                    "{user:words=names!}",
                    "",
                    "{?} {request_id=hash}"
                ),
            ],
        ),
    },
];
