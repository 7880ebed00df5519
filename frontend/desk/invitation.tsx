import { type FormEvent, type ReactNode, useState } from "react";
import { useDesk, useTask } from "./context.ts";
import { Button } from "./elements.tsx";

interface Props {
  heading: ReactNode;
  text: string;
  /** `null`: the page was opened without a link. */
  linkKey: string | null;
  /** Whose link it is, while it is good. */
  invited?: string;
  /** In place of a mail to the link's person. */
  children?: ReactNode;
}

/** How a browser gets signed in: by a mail to somebody's own address. */
export function Invitation({ heading, text, linkKey, invited, children }: Props) {
  const { api, texts } = useDesk();
  const { busy, failure, run } = useTask();
  const [mailed, setMailed] = useState(false);
  const [address, setAddress] = useState("");

  async function mail(key: string, to?: string): Promise<void> {
    await run(async () => {
      await api.mailLink(key, to);
      setMailed(true);
    });
  }

  return (
    <section className="desk-panel">
      {heading}
      <p>{text}</p>
      {linkKey !== null && (
        <>
          {children ?? (
            <button
              type="button"
              className="button"
              disabled={busy}
              onClick={() => void mail(linkKey)}
            >
              {invited === undefined ? texts.mailNew : texts.mailTo(invited)}
            </button>
          )}
          <details>
            <summary>{texts.iAmAnother}</summary>
            <form
              onSubmit={(event: FormEvent) => {
                event.preventDefault();
                void mail(linkKey, address);
              }}
            >
              <label className="field-label" htmlFor="desk-address">
                {texts.address}
              </label>
              <input
                id="desk-address"
                className="field-input"
                type="email"
                required
                autoComplete="email"
                value={address}
                onChange={(event) => setAddress(event.target.value)}
              />
              <Button type="submit" busy={busy}>
                {texts.mailMe}
              </Button>
            </form>
          </details>
        </>
      )}
      <p role="status">{failure ?? (mailed ? texts.mailed : "")}</p>
    </section>
  );
}
