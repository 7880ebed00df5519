//! Serves gRPC. The services of the CRM and reflection require a token; the health service does not.

mod access;
mod call;
mod call_metrics;
mod deliveries;
mod former_name;
mod leads;
mod people;

use std::{io, sync::Arc, time::Duration};

use axum::middleware::{from_fn, from_fn_with_state};
use contracts::crm::v1::{
    access_service_server::{self, AccessServiceServer},
    delivery_service_server::{self, DeliveryServiceServer},
    lead_service_server::{self, LeadServiceServer},
    person_service_server::{self, PersonServiceServer},
};
use opentelemetry::metrics::Histogram;
use runtime::service::Context;
use tokio::net::TcpListener;
use tonic::{
    service::Routes,
    transport::{Server, server::TcpIncoming},
};
use tonic_health::{ServingStatus, server::HealthReporter};
use tower::util::MapRequestLayer;
use tracing::info;

use self::call::Crm;
use crate::{
    auth::{Authority, authenticate},
    db::Store,
    metrics::Metrics,
    tls::Certificate,
};

/// Interval of keepalive pings, which detect clients that disappeared and end their health watches.
const KEEPALIVE: Duration = Duration::from_secs(30);

/// In bytes. Several times the size of the largest lead.
const LARGEST_REQUEST: usize = 256 * 1024;

/// The services whose health is reported. The empty name is the whole process.
const SERVICES: [&str; 5] = [
    "",
    lead_service_server::SERVICE_NAME,
    delivery_service_server::SERVICE_NAME,
    person_service_server::SERVICE_NAME,
    access_service_server::SERVICE_NAME,
];

/// Serves in a background task. After the soft stop, calls in flight may finish until the hard stop.
pub(crate) async fn serve(
    listener: TcpListener,
    store: Store,
    metrics: Metrics,
    authority: Authority,
    certificate: Option<Certificate>,
    context: &Context,
) -> Result<(), tonic_reflection::server::Error> {
    let crm = Arc::new(Crm {
        store,
        metrics,
        clock: context.clock.clone(),
        stop: context.lifecycle.soft_stop(),
    });
    let (reporter, health) = tonic_health::server::health_reporter();
    report(&reporter, ServingStatus::Serving).await;
    let address = listener
        .local_addr()
        .map(|address| address.to_string())
        .unwrap_or_default();
    info!(address, "serving gRPC");
    let seconds = call_metrics::seconds(&context.metrics);
    let router = Server::builder()
        .http2_keepalive_interval(Some(KEEPALIVE))
        .layer(MapRequestLayer::new(former_name::rename))
        .add_routes(routes(crm, authority, seconds)?.add_service(health));
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let (soft, hard) = (context.lifecycle.soft_stop(), context.lifecycle.hard_stop());
    let stopping = async move {
        soft.cancelled().await;
        report(&reporter, ServingStatus::NotServing).await;
    };
    context.lifecycle.spawn("grpc", async move {
        let served = async {
            match certificate {
                None => {
                    router
                        .serve_with_incoming_shutdown(incoming, stopping)
                        .await
                }
                Some(certificate) => {
                    router
                        .serve_with_incoming_shutdown(certificate.encrypt(incoming), stopping)
                        .await
                }
            }
        };
        tokio::select! {
            served = served => served.map_err(io::Error::other),
            () = hard.cancelled() => Ok(()),
        }
    });
    Ok(())
}

/// The services that require a token.
fn routes(
    crm: Arc<Crm>,
    authority: Authority,
    seconds: Histogram<f64>,
) -> Result<Routes, tonic_reflection::server::Error> {
    let leads = LeadServiceServer::from_arc(crm.clone());
    let deliveries = DeliveryServiceServer::from_arc(crm.clone());
    let people = PersonServiceServer::from_arc(crm.clone());
    let access = AccessServiceServer::from_arc(crm);
    let reflection = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(contracts::FILE_DESCRIPTOR_SET)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        .build_v1()?;
    let record_call =
        from_fn(move |request, next| call_metrics::record_call(seconds.clone(), request, next));
    let routes = Routes::new(leads.max_decoding_message_size(LARGEST_REQUEST))
        .add_service(deliveries.max_decoding_message_size(LARGEST_REQUEST))
        .add_service(people.max_decoding_message_size(LARGEST_REQUEST))
        .add_service(access.max_decoding_message_size(LARGEST_REQUEST))
        .add_service(reflection)
        .into_axum_router()
        .layer(from_fn_with_state(authority, authenticate))
        .layer(record_call);
    Ok(routes.into())
}

async fn report(reporter: &HealthReporter, status: ServingStatus) {
    for service in SERVICES {
        reporter.set_service_status(service, status).await;
    }
}
