// @vitest-environment node
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { floorPlans, planFile } from "#shared/content/floor-plans.ts";
import { languages } from "#shared/i18n/language.ts";
import { copyPlanSheets } from "./plan-sheets.mjs";

describe("floor plan sheets", () => {
  let dist: string;
  beforeEach(async () => {
    dist = await mkdtemp(join(tmpdir(), "plan-sheets-"));
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(dist, { recursive: true });
  });
  const published = async () =>
    (await readdir(dist, { recursive: true }))
      .filter((name) => name.endsWith(".pdf"))
      .map((name) => `/${name}`)
      .sort();

  it("are published when downloads are on", async () => {
    vi.stubEnv("VITE_PLAN_DOWNLOADS", "on");
    await copyPlanSheets(dist);
    const ids = [...floorPlans.map(({ id }) => id), "all"];
    const linked = ids.flatMap((id) => languages.map((name) => planFile(id, name)));
    expect(await published()).toEqual(linked.sort());
  });

  it("are not published when downloads are off", async () => {
    vi.stubEnv("VITE_PLAN_DOWNLOADS", "off");
    await copyPlanSheets(dist);
    expect(await published()).toEqual([]);
  });
});
