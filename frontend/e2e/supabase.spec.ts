import { expect } from "@playwright/test";
import { createClient } from "@supabase/supabase-js";
import { privacyPolicyVersion } from "#site/content/project.ts";
import { deliveredLeadOf } from "./support/leads.ts";
import { entry } from "./support/registration-page.ts";
import { setting } from "./support/settings.ts";
import { test } from "./support/site.ts";

/** The public key of every local stack. */
const ANON_KEY = "zg-anon-local";

test("supabase-js submits a lead with only the anonymous key", async () => {
  // Node 20 has no WebSocket, which only the realtime client needs.
  const realtime = { transport: class {} as never };
  const client = createClient(setting("SITE_URL"), ANON_KEY, { realtime });
  const lead = entry();
  const { data, error } = await client.functions.invoke("send-contact-email", {
    body: lead,
    headers: { "Privacy-Policy-Version": privacyPolicyVersion },
  });
  expect(error).toBeNull();
  expect(await deliveredLeadOf(lead.email)).toMatchObject({
    reference: data.reference,
    signals: ["no_session"],
  });
});
