import { expect, test } from "vitest";
import { createDeskApi } from "./api.ts";

const answering = (answer: Response | Error) =>
  createDeskApi(async () => {
    if (answer instanceof Error) {
      throw answer;
    }
    return answer;
  });

test("an answer that is not JSON is an error, whatever its status says", async () => {
  const page = new Response("<html>Log in to the hotel's network</html>");
  await expect(answering(page).me()).rejects.toMatchObject({ code: "unavailable" });
  await expect(answering(new Response(null, { status: 204 })).signOut()).resolves.toBeNull();
});

test("an error has the server's code and wait, or says that nothing was reached", async () => {
  const limited = Response.json(
    { error: { code: "rate_limited" } },
    { status: 429, headers: { "Retry-After": "120" } },
  );
  await expect(answering(limited).me()).rejects.toMatchObject({
    code: "rate_limited",
    retryAfterSeconds: 120,
  });
  await expect(answering(new TypeError("Failed to fetch")).me()).rejects.toMatchObject({
    code: "unreachable",
  });
});
