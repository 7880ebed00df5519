// @vitest-environment node
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { generateApi } from "swagger-typescript-api";
import { expect, it, onTestFinished } from "vitest";

const frontend = resolve(import.meta.dirname, "..");

const usage = `
import { Api, type Accepted } from "./client.ts";

export async function submit(): Promise<Accepted> {
  const { functions } = new Api({ baseUrl: "https://www.example.com" });
  const lead = { interests: ["brochure"], name: "A", mobile: "91234567", email: "a@b.example" };
  const { data } = await functions.submitLead({ ...lead, questions: "" });
  return data;
}
`;

it("a client generated from openapi.json compiles", async () => {
  const directory = await mkdtemp(join(tmpdir(), "openapi-client-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const { files } = await generateApi({
    input: join(frontend, "../services/lead-intake/openapi.json"),
    output: false,
    silent: true,
  });
  await writeFile(join(directory, "client.ts"), files[0]?.fileContent ?? "");
  await writeFile(join(directory, "use.ts"), usage);
  const flags = ["--noEmit", "--strict", "--allowImportingTsExtensions", "--module", "esnext"];
  const types = ["--moduleResolution", "bundler", "--lib", "es2023,dom", "--types", ""];
  const tsc = join(frontend, "node_modules/.bin/tsc");
  const run = promisify(execFile)(tsc, [...flags, ...types, "use.ts"], { cwd: directory });
  const output = await run.catch(({ stdout }: { stdout: string }) => ({ stdout }));
  expect(output.stdout).toBe("");
});
