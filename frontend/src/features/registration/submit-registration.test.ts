// @vitest-environment node
import { describe, expect, it, vi } from "vitest";
import { privacyPolicyVersion } from "#content/project.ts";
import { settings } from "#settings.ts";
import { apiError, fakeApi, json, type Script, type SentCall } from "#testing/fake-api.ts";
import { pass, stopTime } from "#testing/fake-time.ts";
import { type Outcome, type Submission, submitter } from "./submit-registration.ts";

stopTime();

const submission: Submission = {
  payload: {
    interests: ["purchase"],
    name: "陈伟",
    mobile: "91234567",
    email: "a@b.co",
    questions: "🏙️",
  },
  channels: ["phone", "message"],
  idempotencyKey: "11111111-1111-4111-8111-111111111111",
  language: "zh",
};

const ACCEPTED = { id: "x", reference: "ZG-7F3K-2Q" };

function start(answer: (call: SentCall, count: number) => Script, tokens = steadyTokens()) {
  const api = fakeApi(answer);
  vi.stubGlobal("fetch", api.fetch);
  let outcome: Outcome | null = null;
  const submit = submitter(tokens);
  void submit(submission).then((result) => {
    outcome = result;
  });
  return { calls: api.calls, outcome: () => outcome };
}

function steadyTokens() {
  return {
    token: (refused?: string) => Promise.resolve<string | null>(refused ? "t2" : "t1"),
  };
}

function lowerCased(headers: Headers | undefined) {
  return Object.fromEntries(
    [...(headers ?? [])].map(([name, value]) => [name.toLowerCase(), value]),
  );
}

describe("one submission", () => {
  it("sends the payload with its headers and takes the reference", async () => {
    const { calls, outcome } = start(() => json(202, ACCEPTED));
    await pass(0);
    expect(outcome()).toEqual({ kind: "accepted", reference: "ZG-7F3K-2Q" });
    expect(calls).toHaveLength(1);
    expect(calls[0]?.path).toBe("/functions/v1/send-contact-email");
    expect(calls[0]?.body).toEqual(submission.payload);
    expect(lowerCased(calls[0]?.headers)).toEqual({
      apikey: settings.publicKey,
      authorization: "Bearer t1",
      "contact-channels": "phone, message",
      "content-language": "zh",
      "content-type": "application/json",
      "idempotency-key": submission.idempotencyKey,
      "privacy-policy-version": privacyPolicyVersion,
      traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/),
    });
  });

  it.each([200, 201, 204, 302])("does not take %i for success", async (status) => {
    const { outcome } = start(() => new Response(null, { status }));
    await pass(0);
    expect(outcome()).toEqual({ kind: "failed", status, code: null, tries: 1 });
  });

  it.each([400, 403, 404, 405, 413, 415, 500])("does not try again after %i", async (status) => {
    const { calls, outcome } = start(() => apiError(status, "some_code"));
    await pass(12_000);
    expect(calls).toHaveLength(1);
    expect(outcome()).toEqual({ kind: "failed", status, code: "some_code", tries: 1 });
  });
});

describe("trying again", () => {
  it.each([429, 502, 503, 504])("tries %i three times with one key, then fails", async (status) => {
    const { calls, outcome } = start(() => apiError(status, "busy"));
    await pass(12_000);
    expect(outcome()).toEqual({ kind: "failed", status, code: "busy", tries: 3 });
    expect(new Set(calls.map((call) => call.headers.get("Idempotency-Key"))).size).toBe(1);
    const traces = calls.map((call) => call.headers.get("traceparent")?.split("-") ?? []);
    expect(new Set(traces.map(([, trace]) => trace)).size).toBe(1);
    expect(new Set(traces.map(([, , span]) => span)).size).toBe(3);
  });

  it("survives a broken network", async () => {
    const { calls, outcome } = start((_call, count) =>
      count < 3 ? "broken" : json(202, ACCEPTED),
    );
    await pass(4_000);
    expect(calls).toHaveLength(3);
    expect(outcome()).toEqual({ kind: "accepted", reference: "ZG-7F3K-2Q" });
  });

  it("honours a short Retry-After to the millisecond", async () => {
    const { calls } = start((_call, count) =>
      count === 1 ? apiError(429, "rate_limited", { "Retry-After": "3" }) : json(202, ACCEPTED),
    );
    await pass(2_999);
    expect(calls).toHaveLength(1);
    await pass(1);
    expect(calls).toHaveLength(2);
  });

  it("fails at once when Retry-After leads past the 12 seconds", async () => {
    const { calls, outcome } = start(() => apiError(503, "unavailable", { "Retry-After": "12" }));
    await pass(0);
    expect(outcome()).toEqual({ kind: "failed", status: 503, code: "unavailable", tries: 1 });
    await pass(60_000);
    expect(calls).toHaveLength(1);
  });

  it("gives a hanging try up and ends within 12 seconds", async () => {
    const { calls, outcome } = start(() => "silent");
    await pass(5_499);
    expect(calls[0]?.aborted()).toBe(false);
    await pass(1);
    expect(calls[0]?.aborted()).toBe(true);
    expect(outcome()).toBeNull();
    await pass(6_500);
    expect(outcome()).toEqual({ kind: "failed", status: null, code: null, tries: 2 });
    expect(calls.map((call) => call.aborted())).toEqual([true, true]);
  });

  it("cuts the last try short so that all of it ends within 12 seconds", async () => {
    const { calls, outcome } = start((_call, count) =>
      count === 1 ? apiError(503, "unavailable", { "Retry-After": "9" }) : "silent",
    );
    await pass(11_999);
    expect(calls).toHaveLength(2);
    expect(outcome()).toBeNull();
    await pass(1);
    expect(outcome()).toMatchObject({ kind: "failed", status: null });
    expect(calls[1]?.aborted()).toBe(true);
  });

  it("ends within 12 seconds when no token comes", async () => {
    const never = new Promise<string | null>(() => {});
    const { calls, outcome } = start(() => json(202, ACCEPTED), {
      token: () => never,
    });
    await pass(12_000);
    expect(outcome()).toMatchObject({ kind: "failed", status: null });
    expect(calls).toHaveLength(0);
  });
});

describe("a refused token", () => {
  it.each(["token_expired", "token_invalid", "token_missing"])(
    "is replaced without the visitor noticing: %s",
    async (code) => {
      const { calls, outcome } = start((_call, count) =>
        count === 1 ? apiError(401, code) : json(202, ACCEPTED),
      );
      await pass(0);
      expect(outcome()).toMatchObject({ kind: "accepted" });
      expect(calls.map((call) => call.headers.get("Authorization"))).toEqual([
        "Bearer t1",
        "Bearer t2",
      ]);
    },
  );

  it("is replaced once only", async () => {
    const { calls, outcome } = start(() => apiError(401, "token_invalid"));
    await pass(12_000);
    expect(calls).toHaveLength(2);
    expect(outcome()).toEqual({ kind: "failed", status: 401, code: "token_invalid", tries: 1 });
  });

  it("is left alone when it is the site's key that is wrong", async () => {
    const { calls } = start(() => apiError(401, "apikey_invalid"));
    await pass(12_000);
    expect(calls).toHaveLength(1);
  });
});

describe("a 422", () => {
  it("becomes field errors, without what the form does not know", async () => {
    const fields = {
      email: [{ code: "email_invalid", message: "Invalid email address" }],
      name: [{ code: "name_from_the_future", message: "?" }],
      company: [{ code: "missing", message: "?" }],
      mobile: "nonsense",
    };
    const { outcome } = start(() =>
      json(422, { error: { code: "validation_failed", message: "", fields } }),
    );
    await pass(0);
    expect(outcome()).toEqual({ kind: "invalid", errors: { email: "email_invalid" } });
  });

  it("is a failure when nothing in it can be shown under a field", async () => {
    const { outcome } = start(() => apiError(422, "validation_failed"));
    await pass(0);
    expect(outcome()).toEqual({ kind: "failed", status: 422, code: "validation_failed", tries: 1 });
  });
});
