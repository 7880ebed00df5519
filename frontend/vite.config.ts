import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** Lets the bundler drop the router's parts that nobody uses: its own link would bring a tenth of the page's script. */
const unusedRouterParts: Plugin = {
  name: "unused-router-parts",
  apply: "build",
  transform: {
    filter: { id: /node_modules\/react-router\// },
    handler: (code) =>
      code
        .replaceAll(/^\w+\.displayName = .+;$/gm, "")
        .replaceAll(
          /^var \w+ = (?=\w+\.(forwardRef|createContext|memo)\()/gm,
          "$&/* @__PURE__ */ ",
        ),
  },
};

export default defineConfig({
  plugins: [react(), unusedRouterParts],
  publicDir: "../art/dist/public",
  build: {
    // A strict CSP has no data: fonts, and every asset gets its own immutable address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The documents are rendered whole, before any part's script is there.
    cssCodeSplit: false,
    target: "es2022",
    rolldownOptions: {
      input: ["index.html", "desk/index.html"],
      output: {
        // What every page needs, in one: it compresses better, and changes with its versions alone.
        codeSplitting: {
          groups: [
            {
              name: "libraries",
              test: /node_modules\/(react|react-dom|scheduler|react-i18next|i18next|react-router|react-router-dom|use-sync-external-store)\//,
            },
          ],
        },
      },
    },
  },
  server: {
    fs: { allow: [".", "../art/dist"] },
    proxy: {
      "/auth": "http://localhost:8080",
      "/desk/api/": "http://localhost:8080",
      "/functions": "http://localhost:8080",
    },
  },
  test: {
    include: ["{src,desk}/**/*.test.{ts,tsx}", "scripts/**/*.test.ts", "bench/*.test.ts"],
    restoreMocks: true,
    // A busy machine takes its time.
    testTimeout: 60_000,
    // Vitest leaves one core idle by itself, which is half of a machine with two.
    maxWorkers: "100%",
    environment: "happy-dom",
    setupFiles: ["vitest.setup.ts"],
  },
});
