import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** Serves the documents in development as the prerender makes them, without its assets. */
const documents: Plugin = {
  name: "documents",
  apply: "serve",
  configureServer: (server) => () => {
    server.middlewares.use(async (request, response, next) => {
      const address = request.originalUrl ?? "/";
      if (address.startsWith("/desk/")) {
        next();
        return;
      }
      const { searchParams } = new URL(address, "http://localhost");
      try {
        const { renderPage } = await server.ssrLoadModule("/src/entry-server.tsx");
        const { languageOf } = await server.ssrLoadModule("/src/i18n/language.ts");
        const html = renderPage(address, languageOf(searchParams.get("lang") ?? "en"), () => ({
          style: null,
          fonts: [],
          entry: "/src/boot.ts",
        }));
        response.setHeader("Content-Type", "text/html");
        response.end(await server.transformIndexHtml(address, html));
      } catch (error) {
        next(error);
      }
    });
  },
};

export default defineConfig({
  appType: "mpa",
  plugins: [react(), documents],
  define: { "import.meta.env.BUILD_DAY": JSON.stringify(new Date().toISOString().slice(0, 10)) },
  publicDir: "../art/dist/public",
  build: {
    // A strict CSP has no data: fonts, and every asset gets its own immutable address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The documents are rendered whole, before any part's script is there.
    cssCodeSplit: false,
    target: "es2022",
    rolldownOptions: {
      input: ["src/boot.ts", "desk/index.html"],
      output: {
        // Pictures have a hash already: each character of another one is in the addresses of 130 files.
        assetFileNames: ({ names: [name = ""] }) =>
          /-[0-9a-f]{12}\.\w+$/.test(name)
            ? "assets/[name][extname]"
            : "assets/[name]-[hash][extname]",
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
    include: ["{src,desk}/**/*.test.{ts,tsx}", "scripts/**/*.test.ts"],
    restoreMocks: true,
    // A busy machine takes its time.
    testTimeout: 60_000,
    // Vitest leaves one core idle by itself, which is half of a machine with two.
    maxWorkers: "100%",
    environment: "happy-dom",
    setupFiles: ["vitest.setup.ts"],
  },
});
