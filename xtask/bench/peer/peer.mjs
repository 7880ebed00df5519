// The system's job as a small team would write it: accept a lead and publish it confirmed, store it, email it.
// `node peer.mjs SERVICE` does the job of that service, with AMQP_URL and PORT, DATABASE_URL or SMTP_PORT in the environment.

import { connect } from "amqplib";
import express from "express";
import { createTransport } from "nodemailer";
import { Pool } from "pg";
import { z } from "zod";

const EXCHANGE = "leads";
const KEY = "lead.submitted.v1";

const registration = z.strictObject({
  interests: z.array(z.enum(["brochure", "purchase", "showflat"])).min(1),
  name: z.string().trim().min(1).max(100),
  mobile: z.string().trim().min(8).max(19),
  email: z.email().max(255),
  questions: z.string().max(1000),
});

async function accept({ AMQP_URL, PORT, ANON_KEY }) {
  const connection = await connect(AMQP_URL);
  const channel = await connection.createConfirmChannel();
  const app = express();
  app.disable("x-powered-by");
  app.post("/functions/v1/send-contact-email", express.json({ limit: "16kb" }), (request, response) => {
    if (request.get("apikey") !== ANON_KEY) {
      response.status(401).json({ error: { code: "apikey_invalid" } });
      return;
    }
    const id = z.uuid().safeParse(request.get("idempotency-key"));
    const form = registration.safeParse(request.body);
    if (!id.success || !form.success) {
      response.status(422).json({ error: { code: "validation_failed", fields: form.error?.issues } });
      return;
    }
    const lead = {
      id: id.data,
      submitted_at: new Date().toISOString(),
      language: request.get("content-language") ?? "en",
      privacy_policy_version: request.get("privacy-policy-version") ?? "",
      ...form.data,
    };
    const options = {
      persistent: true,
      mandatory: true,
      messageId: lead.id,
      contentType: "application/json",
      headers: { traceparent: request.get("traceparent") },
    };
    channel.publish(EXCHANGE, KEY, Buffer.from(JSON.stringify(lead)), options, (error) => {
      if (error) {
        response.status(503).set("Retry-After", "5").json({ error: { code: "unavailable" } });
        return;
      }
      console.log(JSON.stringify({ level: "INFO", message: "lead accepted", lead_id: lead.id }));
      response.status(202).json({ id: lead.id, reference: lead.id.slice(0, 8) });
    });
  });
  app.listen(Number(PORT), "127.0.0.1");
}

/** Handles each message of a queue, `atOnce` at a time, and acknowledges it after that. */
async function consume({ AMQP_URL }, queue, atOnce, handle) {
  const connection = await connect(AMQP_URL);
  const channel = await connection.createChannel();
  await channel.prefetch(atOnce);
  await channel.consume(queue, async (message) => {
    try {
      await handle(JSON.parse(message.content.toString()));
      channel.ack(message);
    } catch (error) {
      console.error(error);
      channel.nack(message);
    }
  });
}

async function store(environment) {
  const pool = new Pool({ connectionString: environment.DATABASE_URL, max: 10 });
  await consume(environment, "crm-sync.leads", 256, (lead) =>
    pool.query({
      name: "insert",
      text: `INSERT INTO lead (id, submitted_at, interests, name, mobile, email, questions, language, privacy_policy_version)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (id) DO NOTHING`,
      values: [
        lead.id,
        lead.submitted_at,
        JSON.stringify(lead.interests),
        lead.name,
        lead.mobile,
        lead.email,
        lead.questions,
        lead.language,
        lead.privacy_policy_version,
      ],
    }),
  );
}

async function email(environment) {
  const port = Number(environment.SMTP_PORT);
  const transport = createTransport({ host: "127.0.0.1", port, pool: true, maxConnections: 8, maxMessages: Infinity });
  await consume(environment, "notifier.leads", 64, (lead) => {
    const lines = [
      ["Name", lead.name],
      ["Mobile", lead.mobile],
      ["Email", lead.email],
      ["Interests", lead.interests.join(", ")],
      ["Question", lead.questions],
    ];
    const escaped = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
    return transport.sendMail({
      from: "website@zyongrand.example",
      to: "sales@zyongrand.example",
      replyTo: lead.email,
      subject: `New enquiry from ${lead.name}`,
      messageId: `<${lead.id}@zyongrand.example>`,
      text: lines.map(([name, value]) => `${name}: ${value}`).join("\n"),
      html: `<table>${lines.map(([name, value]) => `<tr><th>${name}</th><td>${escaped(value)}</td></tr>`).join("")}</table>`,
    });
  });
}

const job = { "lead-intake": accept, "crm-sync": store, notifier: email }[process.argv[2]];
await job(process.env);
