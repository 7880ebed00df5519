// @vitest-environment node
import { describe, expect, it, vi } from "vitest";
import { privacyPolicyVersion } from "#site/content/project.ts";
import { settings } from "#site/settings.ts";
import { apiError, fakeApi, json, type Script, type SentCall } from "#site/testing/fake-api.ts";
import { advanceTime, fakeTime } from "#site/testing/fake-time.ts";
import { type Outcome, type Submission, submitter } from "./submit-registration.ts";

fakeTime();

const submission: Submission = {
  payload: {
    interests: ["purchase"],
    name: "陈伟",
    mobile: "91234567",
    email: "a@b.co",
    questions: "🏙️",
  },
  channels: ["phone", "message"],
  plan: "C2N",
  visitTimes: ["weekday-evenings", "weekend-afternoons"],
  homes: ["3-bedroom", "own-use"],
  idempotencyKey: "11111111-1111-4111-8111-111111111111",
  language: "zh",
};

const ACCEPTED = { id: "x", reference: "ZG-7F3K-2Q" };

function submitWith(answer: (call: SentCall, count: number) => Script, tokens = fakeTokens()) {
  const api = fakeApi(answer);
  vi.stubGlobal("fetch", api.fetch);
  let outcome: Outcome | null = null;
  const submit = submitter(tokens);
  void submit(submission).then((result) => {
    outcome = result;
  });
  return { calls: api.calls, outcome: () => outcome };
}

function fakeTokens() {
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
  it("sends payload and headers, and returns the reference", async () => {
    const { calls, outcome } = submitWith(() => json(202, ACCEPTED));
    await advanceTime(0);
    expect(outcome()).toEqual({ kind: "accepted", reference: "ZG-7F3K-2Q", consent: null });
    expect(calls).toHaveLength(1);
    expect(calls[0]?.path).toBe("/functions/v1/send-contact-email");
    expect(calls[0]?.body).toEqual(submission.payload);
    expect(lowerCased(calls[0]?.headers)).toEqual({
      apikey: settings.publicKey,
      authorization: "Bearer t1",
      "contact-channels": "phone, message",
      "content-language": "zh",
      "content-type": "application/json",
      "enquiry-plan": "C2N",
      "home-preferences": "3-bedroom, own-use",
      "idempotency-key": submission.idempotencyKey,
      "privacy-policy-version": privacyPolicyVersion,
      traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/),
      "visit-times": "weekday-evenings, weekend-afternoons",
    });
  });

  it.each([200, 201, 204, 302])("fails on status %i", async (status) => {
    const { outcome } = submitWith(() => new Response(null, { status }));
    await advanceTime(0);
    expect(outcome()).toEqual({ kind: "failed", status, code: null, tries: 1 });
  });

  it("fails on a 202 with an error object", async () => {
    const { outcome } = submitWith(() => json(202, { error: { message: "not stored" } }));
    await advanceTime(0);
    expect(outcome()).toEqual({ kind: "failed", status: 202, code: null, tries: 1 });
  });

  it.each([400, 403, 404, 405, 413, 415, 500])("does not retry after %i", async (status) => {
    const { calls, outcome } = submitWith(() => apiError(status, "some_code"));
    await advanceTime(12_000);
    expect(calls).toHaveLength(1);
    expect(outcome()).toEqual({ kind: "failed", status, code: "some_code", tries: 1 });
  });
});

describe("retries", () => {
  it.each([429, 502, 503, 504])(
    "stop after three attempts with one key and status %i",
    async (status) => {
      const { calls, outcome } = submitWith(() => apiError(status, "busy"));
      await advanceTime(12_000);
      expect(outcome()).toEqual({ kind: "failed", status, code: "busy", tries: 3 });
      expect(new Set(calls.map((call) => call.headers.get("Idempotency-Key"))).size).toBe(1);
      const traces = calls.map((call) => call.headers.get("traceparent")?.split("-") ?? []);
      expect(new Set(traces.map(([, trace]) => trace)).size).toBe(1);
      expect(new Set(traces.map(([, , span]) => span)).size).toBe(3);
    },
  );

  it("continue after network errors", async () => {
    const { calls, outcome } = submitWith((_call, count) =>
      count < 3 ? "broken" : json(202, ACCEPTED),
    );
    await advanceTime(4_000);
    expect(calls).toHaveLength(3);
    expect(outcome()).toEqual({ kind: "accepted", reference: "ZG-7F3K-2Q", consent: null });
  });

  it("wait exactly as long as a short Retry-After", async () => {
    const { calls } = submitWith((_call, count) =>
      count === 1 ? apiError(429, "rate_limited", { "Retry-After": "3" }) : json(202, ACCEPTED),
    );
    await advanceTime(2_999);
    expect(calls).toHaveLength(1);
    await advanceTime(1);
    expect(calls).toHaveLength(2);
  });

  it("stop immediately if Retry-After exceeds the 12 seconds", async () => {
    const { calls, outcome } = submitWith(() =>
      apiError(503, "unavailable", { "Retry-After": "12" }),
    );
    await advanceTime(0);
    expect(outcome()).toEqual({ kind: "failed", status: 503, code: "unavailable", tries: 1 });
    await advanceTime(60_000);
    expect(calls).toHaveLength(1);
  });

  it("abort a hanging attempt and stop within 12 seconds", async () => {
    const { calls, outcome } = submitWith(() => "silent");
    await advanceTime(5_499);
    expect(calls[0]?.aborted()).toBe(false);
    await advanceTime(1);
    expect(calls[0]?.aborted()).toBe(true);
    expect(outcome()).toBeNull();
    await advanceTime(6_500);
    expect(outcome()).toEqual({ kind: "failed", status: null, code: null, tries: 2 });
    expect(calls.map((call) => call.aborted())).toEqual([true, true]);
  });

  it("abort the last attempt at 12 seconds in total", async () => {
    const { calls, outcome } = submitWith((_call, count) =>
      count === 1 ? apiError(503, "unavailable", { "Retry-After": "9" }) : "silent",
    );
    await advanceTime(11_999);
    expect(calls).toHaveLength(2);
    expect(outcome()).toBeNull();
    await advanceTime(1);
    expect(outcome()).toMatchObject({ kind: "failed", status: null });
    expect(calls[1]?.aborted()).toBe(true);
  });

  it("stop at 12 seconds without a token", async () => {
    const never = new Promise<string | null>(() => {});
    const { calls, outcome } = submitWith(() => json(202, ACCEPTED), {
      token: () => never,
    });
    await advanceTime(12_000);
    expect(outcome()).toMatchObject({ kind: "failed", status: null });
    expect(calls).toHaveLength(0);
  });
});

describe("a rejected token", () => {
  it.each(["token_expired", "token_invalid", "token_missing"])(
    "is replaced without a message to the visitor: %s",
    async (code) => {
      const { calls, outcome } = submitWith((_call, count) =>
        count === 1 ? apiError(401, code) : json(202, ACCEPTED),
      );
      await advanceTime(0);
      expect(outcome()).toMatchObject({ kind: "accepted" });
      expect(calls.map((call) => call.headers.get("Authorization"))).toEqual([
        "Bearer t1",
        "Bearer t2",
      ]);
    },
  );

  it("is replaced only once", async () => {
    const { calls, outcome } = submitWith(() => apiError(401, "token_invalid"));
    await advanceTime(12_000);
    expect(calls).toHaveLength(2);
    expect(outcome()).toEqual({ kind: "failed", status: 401, code: "token_invalid", tries: 1 });
  });

  it("is kept if the public key is invalid", async () => {
    const { calls } = submitWith(() => apiError(401, "apikey_invalid"));
    await advanceTime(12_000);
    expect(calls).toHaveLength(1);
  });
});

describe("a 422", () => {
  it("becomes field errors, without unknown fields", async () => {
    const fields = {
      email: [{ code: "email_invalid", message: "Invalid email address" }],
      name: [{ code: "name_from_the_future", message: "?" }],
      company: [{ code: "missing", message: "?" }],
      mobile: "nonsense",
    };
    const { outcome } = submitWith(() =>
      json(422, { error: { code: "validation_failed", message: "", fields } }),
    );
    await advanceTime(0);
    expect(outcome()).toEqual({
      kind: "invalid",
      errors: { email: "email_invalid", name: "invalid" },
    });
  });

  it("is a failure if it has no error of a known field", async () => {
    const { outcome } = submitWith(() => apiError(422, "validation_failed"));
    await advanceTime(0);
    expect(outcome()).toEqual({ kind: "failed", status: 422, code: "validation_failed", tries: 1 });
  });
});
