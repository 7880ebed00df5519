import { describe, expect, it } from "vitest";
import { LOCAL_ORIGIN, readSettings } from "./settings.ts";

describe("build settings", () => {
  it("default to a local build that embeds the map", () => {
    const defaults = readSettings({});
    expect(defaults).toMatchObject({
      publicKey: "zg-anon-local",
      siteOrigin: LOCAL_ORIGIN,
      planDownloads: false,
      map: { showsCity: true, loading: "when-near" },
    });
    expect(new URL(defaults.map.address).origin).toBe("https://www.openstreetmap.org");
    expect(readSettings({ VITE_ANON_KEY: "", VITE_MAP_ADDRESS: "" })).toEqual(defaults);
  });

  it("are read from the variables", () => {
    const settings = readSettings({
      VITE_ANON_KEY: "zg-anon-2",
      VITE_SITE_ORIGIN: "https://www.zyon.example/",
      VITE_PLAN_DOWNLOADS: "on",
      VITE_MAP_ADDRESS: "https://maps.example:8443/embed?key=abc#15",
      VITE_MAP_LOADING: "on-request",
    });
    expect(settings).toEqual({
      publicKey: "zg-anon-2",
      siteOrigin: "https://www.zyon.example",
      planDownloads: true,
      map: {
        address: "https://maps.example:8443/embed?key=abc#15",
        showsCity: false,
        loading: "on-request",
      },
    });
  });

  it.each([
    ["VITE_ANON_KEY", "two words"],
    ["VITE_ANON_KEY", "钥匙"],
    ["VITE_SITE_ORIGIN", "www.zyon.example"],
    ["VITE_SITE_ORIGIN", "https://www.zyon.example/en"],
    ["VITE_SITE_ORIGIN", "https://www.zyon.example/?lang=en"],
    ["VITE_SITE_ORIGIN", "ftp://www.zyon.example"],
    ["VITE_PLAN_DOWNLOADS", "yes"],
    ["VITE_MAP_ADDRESS", "https://"],
    ["VITE_MAP_ADDRESS", "/map"],
    ["VITE_MAP_ADDRESS", "javascript:alert(1)"],
    ["VITE_MAP_ADDRESS", 'https://a";b.example/'],
    ["VITE_MAP_ADDRESS", "https://user@maps.example/"],
    ["VITE_MAP_LOADING", "always"],
  ])("stop the build when %s is %j", (name, value) => {
    expect(() => readSettings({ [name]: value })).toThrow(name);
  });

  it.each(["VITE_SITE_ORIGIN", "VITE_MAP_ADDRESS"])(
    "never print an invalid %s, which may contain a key or a password",
    (name) => {
      for (const value of ["maps.example/?key=hidden", "https://user:hidden@maps.example"]) {
        expect(() => readSettings({ [name]: value })).toThrow(/^(?!.*hidden)/);
      }
    },
  );
});
