// @vitest-environment node
import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { openFacts, project } from "#site/content/project.ts";

it("a release build lists open items and fails before it builds", async () => {
  const { status, output } = await releaseBuild({ VITE_SITE_ORIGIN: "http://www.example.com" });
  expect(status).toBe(1);
  for (const fact of openFacts(project)) {
    expect(output).toContain(`${fact}: null in site/content/project.ts`);
  }
  for (const name of ["pictures", "river", "layouts", "dimensions", "brochure"]) {
    expect(output).toContain(`${name}: not confirmed by the owner`);
  }
  expect(output).toContain("http://www.example.com; set VITE_SITE_ORIGIN");
  expect(output).not.toContain("fonts:");
});

it("a release build rejects settings that only work locally", async () => {
  const { status, output } = await releaseBuild({
    VITE_ANON_KEY: "",
    VITE_MAP_ADDRESS: "http://maps.example/",
  });
  expect(status).toBe(1);
  expect(output).toContain("publicKey: zg-anon-local");
  expect(output).toContain("map: browsers block it");
});

it("an open fact is one that is null", () => {
  expect(openFacts({ ...project, lot: null, licence: "C1234" })).toContain("lot");
  expect(openFacts({ ...project, lot: null, licence: "C1234" })).not.toContain("licence");
});

function releaseBuild(
  settings: Record<string, string>,
): Promise<{ status: unknown; output: string }> {
  return new Promise((settle) => {
    execFile(
      process.execPath,
      [resolve(import.meta.dirname, "build.mjs"), "--release"],
      { env: { ...process.env, ...settings } },
      (error, stdout, stderr) => settle({ status: error?.code, output: stdout + stderr }),
    );
  });
}
