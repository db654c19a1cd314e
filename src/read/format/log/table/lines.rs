//! The definitions of logs whose fields stand in fixed places in a line: see [`crate::read::format::log::pattern`].

use super::Definition;
use super::Form::{Lines, Padded};

/// With the braces of the headers that are captured, of which a configuration may have none.
macro_rules! haproxy {
    ($headers:literal) => {
        concat!(
            "{client:endpoint} [{time:time}] {frontend} {backend}/{server} ",
            "{request_us:ms}/{queue_us:ms}/{connect_us:ms}/{response_us:ms}/{duration_us:ms} {status:int} {size:long} ",
            "{request_cookie} {response_cookie} {termination_state} {process_connections:int}/",
            "{frontend_connections:int}/{backend_connections:int}/{server_connections:int}/{retries:int} ",
            "{server_queue:int}/{backend_queue:int}",
            $headers,
            " \"{:request}\"{?} {rest:rest}"
        )
    };
}

pub(in crate::read::format::log) const LINES: &[Definition] = &[
    Definition {
        name: "alb",
        about: "AWS Application Load Balancer",
        form: Lines(&[
            "{type} {time:time} {elb} {client:endpoint} {target:endpoint} {request_processing_us:s} \
             {target_processing_us:s} {response_processing_us:s} {status:int} {target_status:int} {request_size:long} \
             {size:long} \"{:request}\" \"{user_agent}\" {ssl_cipher} {ssl_protocol} {target_group_arn} \
             \"{trace_id}\"{?} \"{domain_name}\" \"{chosen_cert_arn}\" {rule_priority} {request_creation_time:time} \
             \"{actions_executed}\" \"{redirect_url}\" \"{error_reason}\" \"{target_list}\" \"{target_status_list}\" \
             \"{classification}\" \"{classification_reason}\" {rest:rest}",
        ]),
    },
    Definition {
        name: "elb",
        about: "AWS Classic Load Balancer (ELB)",
        form: Lines(&[
            "{time:time} {elb} {client:endpoint} {target:endpoint} {request_processing_us:s} {target_processing_us:s} \
             {response_processing_us:s} {status:int} {target_status:int} {request_size:long} {size:long} \
             \"{:request}\"{?} \"{user_agent}\" {ssl_cipher} {ssl_protocol} {rest:rest}",
        ]),
    },
    Definition {
        name: "s3",
        about: "server access log of Amazon S3",
        form: Lines(&[
            "{bucket_owner} {bucket} [{time:time}] {client:addr} {requester} {request_id} {operation} {key} \
             \"{:request}\" {status:int} {error_code} {size:long} {object_size:long} {duration_us:ms} \
             {turn_around_us:ms} \"{referer}\" \"{user_agent}\"{?} {version_id} {host_id} {signature_version} \
             {cipher_suite} {authentication_type} {:host} {tls_version:secure} {access_point_arn} {acl_required} \
             {rest:rest}",
            "{bucket_owner} {bucket} [{time:time}] {client:addr} {requester} {request_id} {operation} {key} \
             {:request} {status:int} {error_code} {size:long} {object_size:long} {duration_us:ms} \
             {turn_around_us:ms} \"{referer}\" \"{user_agent}\"{?} {version_id} {host_id} {signature_version} \
             {cipher_suite} {authentication_type} {:host} {tls_version:secure} {access_point_arn} {acl_required} \
             {rest:rest}",
        ]),
    },
    Definition {
        name: "haproxy",
        about: "HAProxy, its HTTP format",
        form: Lines(&[
            haproxy!(" {{request_headers}} {{response_headers}}"),
            haproxy!(""),
            haproxy!(" {{headers}}"),
        ]),
    },
    Definition {
        name: "squid",
        about: "Squid, its native format",
        form: Padded(&[
            "{time:time} {duration_us:ms} {client} {cache_result:cache}/{status:int} {size:long} {:method} {:url} {user} \
             {hierarchy}/{peer} {mime}{?} {rest:rest}",
        ]),
    },
    Definition {
        name: "squid-combined",
        about: "Squid, its combined format: the result of the cache behind the Combined Log Format",
        form: Lines(&[
            "{client} {ident} {user} [{time:time}] \"{:request}\" {status:int} {size:long} \"{referer}\" \
             \"{user_agent}\" {cache_result:cache}:{hierarchy:cache}",
        ]),
    },
    Definition {
        name: "uwsgi",
        about: "uWSGI, its own format",
        form: Lines(&[
            "[pid: {pid:int}|app: {app}|req: {app_request}/{worker_request}] {client} ({user}) {{variables}} \
             [{time:time}] {:method} {:url} => generated {size:long} bytes in {duration_us:ms} msecs \
             ({protocol:protocol} {status:int}) {rest:rest}",
            "[pid: {pid:int}|app: {app}|req: {app_request}/{worker_request}] {client} ({user}) {{variables}} \
             [{time:time}] {:method} {:url} => generated {size:long} bytes in {duration_us:us} micros \
             ({protocol:protocol} {status:int}) {rest:rest}",
        ]),
    },
    Definition {
        name: "nginx-proxy-manager",
        about: "Nginx Proxy Manager, its proxy and standard formats",
        form: Lines(&[
            "[{time:time}] {cache_status} {upstream_status:int} {status:int} - {:method} {:scheme} {:host} \"{:url}\" \
             [Client {client:addr}] [Length {size:long}] [Gzip {gzip_ratio}] [Sent-to {upstream}] \"{user_agent}\" \
             \"{referer}\"",
            "[{time:time}] {status:int} - {:method} {:scheme} {:host} \"{:url}\" [Client {client:addr}] \
             [Length {size:long}] [Gzip {gzip_ratio}] \"{user_agent}\" \"{referer}\"",
        ]),
    },
    Definition {
        name: "envoy",
        about: "Envoy, its default format",
        form: Lines(&[
            "[{time:time}] \"{:request}\" {status:int} {response_flags} {request_size:long} {size:long} \
             {duration_us:ms} {upstream_us:ms} \"{forwarded_for}\" \"{user_agent}\" \"{request_id}\" \"{:host}\" \
             \"{upstream}\"{?} {rest:rest}",
        ]),
    },
    Definition {
        name: "istio",
        about: "Istio, Envoy's format as it has it",
        form: Lines(&[
            "[{time:time}] \"{:request}\" {status:int} {response_flags} {response_details} {termination_details} \
             \"{upstream_failure}\" {request_size:long} {size:long} {duration_us:ms} {upstream_us:ms} \
             \"{forwarded_for}\" \"{user_agent}\" \"{request_id}\" \"{:host}\" \"{upstream}\"{?} {upstream_cluster} \
             {upstream_local} {downstream_local} {client:endpoint} {server_name} {route_name} {rest:rest}",
        ]),
    },
    Definition {
        name: "traefik",
        about: "Traefik, its Common Log Format",
        form: Lines(&[
            "{client} - {user} [{time:time}] \"{:request}\" {status:int} {size:long} \"{referer}\" \"{user_agent}\" \
             {request_number:long} \"{router}\" \"{upstream}\" {duration_us:ms}",
        ]),
    },
    Definition {
        name: "nginx-ingress",
        about: "the NGINX Ingress controller of Kubernetes",
        form: Lines(&[
            "{client} - {user} [{time:time}] \"{:request}\" {status:int} {size:long} \"{referer}\" \"{user_agent}\" \
             {request_size:long} {duration_us:s} [{upstream_name}] [{alternative_upstream}] {upstream:list} \
             {upstream_size:list} {upstream_time:list} {upstream_status_list:list} {request_id}",
        ]),
    },
];
