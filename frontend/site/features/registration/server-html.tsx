import { useEffect, useRef } from "react";
import type { KeyValueStore } from "#shared/api/key-value-store.ts";
import { anchors } from "#site/routes.ts";
import { restoreDraft } from "./restore-draft.ts";

interface ServerHtmlProps {
  html: string;
  storage: KeyValueStore;
}

/** The server's HTML in place of components that threw: it is readable, and the browser sends its form. */
export function ServerHtml({ html, storage }: ServerHtmlProps) {
  const container = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const form = container.current?.querySelector<HTMLFormElement>(`form#${anchors.form}`);
    if (form) {
      restoreDraft(form, storage);
      // Starts the session of the no-JavaScript form.
      new Image().src = "/functions/v1/form-session";
    }
  }, [storage]);

  // biome-ignore lint/security/noDangerouslySetInnerHtml: the document as the server sent it.
  return <div ref={container} className="server-html" dangerouslySetInnerHTML={{ __html: html }} />;
}
