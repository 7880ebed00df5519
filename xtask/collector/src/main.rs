//! `collector ADDRESS FILE` writes each OTLP request it receives to a file, as one line of JSON.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a tool of tests fails by panicking"
)]

use std::{
    env,
    fs::File,
    io::Write,
    sync::{Arc, Mutex},
};

use opentelemetry_proto::tonic::collector::{
    metrics::v1::{
        ExportMetricsServiceRequest, ExportMetricsServiceResponse,
        metrics_service_server::{MetricsService, MetricsServiceServer},
    },
    trace::v1::{
        ExportTraceServiceRequest, ExportTraceServiceResponse,
        trace_service_server::{TraceService, TraceServiceServer},
    },
};
use serde::Serialize;
use tonic::{Request, Response, Status, transport::Server};

#[derive(Clone)]
struct Collector(Arc<Mutex<File>>);

impl Collector {
    fn write(&self, request: &impl Serialize) {
        let line = serde_json::to_string(request).unwrap();
        writeln!(self.0.lock().unwrap(), "{line}").unwrap();
    }
}

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        self.write(request.get_ref());
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

#[tonic::async_trait]
impl MetricsService for Collector {
    async fn export(
        &self,
        request: Request<ExportMetricsServiceRequest>,
    ) -> Result<Response<ExportMetricsServiceResponse>, Status> {
        self.write(request.get_ref());
        Ok(Response::new(ExportMetricsServiceResponse::default()))
    }
}

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [address, file] = arguments.as_slice() else {
        panic!("usage: collector ADDRESS FILE")
    };
    let collector = Collector(Arc::new(Mutex::new(File::create(file).unwrap())));
    Server::builder()
        .add_service(TraceServiceServer::new(collector.clone()))
        .add_service(MetricsServiceServer::new(collector))
        .serve(address.parse().unwrap())
        .await
        .unwrap();
}
