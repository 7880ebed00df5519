//! A system of the sales team's that fails half of the time: it takes a lead at every second attempt.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::TaskTracker;
use uuid::Uuid;
use xtask::error::Result;

use crate::journal::{self, Journal, Mailed};
use crate::lead;
use crate::stack::WEBHOOK;

struct Receiver {
    journal: Journal,
    attempts: Mutex<HashMap<Uuid, u32>>,
}

/// Serves until killed, and writes to the mail server's journal what it took.
pub(crate) async fn serve(listener: TcpListener, journal: &Path) -> Result<()> {
    let receiver = Arc::new(Receiver { journal: Journal::open(journal)?, attempts: Mutex::default() });
    let tasks = TaskTracker::new();
    loop {
        let Ok((client, _)) = listener.accept().await else { continue };
        let receiver = Arc::clone(&receiver);
        tasks.spawn(async move {
            // A client that disconnected needs no answer.
            let _gone = receiver.answer(client).await;
        });
    }
}

impl Receiver {
    async fn answer(&self, client: TcpStream) -> std::io::Result<()> {
        let mut client = BufReader::new(client);
        let (mut lead, mut length) = (None, 0);
        loop {
            let mut line = String::new();
            client.read_line(&mut line).await?;
            let header = line.trim().to_ascii_lowercase();
            if header.is_empty() {
                break;
            }
            if let Some(id) = header.strip_prefix("webhook-id: lead-") {
                lead = id.parse().ok();
            } else if let Some(text) = header.strip_prefix("content-length: ") {
                length = text.parse().unwrap_or_default();
            }
        }
        client.read_exact(&mut vec![0; length]).await?;
        let status = if lead.is_some_and(|lead| self.takes(lead)) { "204 No Content" } else { "500 No" };
        let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        client.write_all(answer.as_bytes()).await
    }

    fn takes(&self, lead: Uuid) -> bool {
        let mut attempts = self.attempts.lock().unwrap_or_else(PoisonError::into_inner);
        let attempt = attempts.entry(lead).or_default();
        *attempt += 1;
        let id = lead::mail_id(lead, WEBHOOK);
        let taken = Mailed { at: journal::now(), taken: true, id, recipient: "webhook@crm".to_owned() };
        attempt.is_multiple_of(2) && self.journal.append(&taken.line()).is_ok()
    }
}
