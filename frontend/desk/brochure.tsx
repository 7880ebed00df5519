import { useEffect, useState } from "react";
import type { Brochure } from "./api.ts";
import { useDesk, useTask } from "./context.ts";
import { Button, Failed, usePanelFocus } from "./elements.tsx";

const POLL_MS = 2_000;

const shown = ["asked", "delivered", "waiting", "failed", "do_not_contact"] as const;

export function SendBrochure() {
  const { texts } = useDesk();
  const [open, setOpen] = useState(false);
  const { section, opener } = usePanelFocus(open ? "brochure" : null);
  return (
    <section className="desk-brochure" ref={section}>
      <Button
        plain
        aria-expanded={open}
        onClick={(event) => {
          opener.current = event.currentTarget;
          setOpen(!open);
        }}
      >
        {texts.sendBrochure}
      </Button>
      {open && <Sending onClose={() => setOpen(false)} />}
    </section>
  );
}

/** Says who would be mailed, sends when told to, and follows until no mail is waiting. */
function Sending({ onClose }: { onClose: () => void }) {
  const { api, texts } = useDesk();
  const { failure, run } = useTask();
  const [counts, setCounts] = useState<Brochure | null>(null);
  /** As the counts were when sending began. */
  const [begun, setBegun] = useState<Brochure | null>(null);
  const [attempt, setAttempt] = useState(0);
  const toSend = begun ?? counts;
  const isAsking = begun !== null && counts !== null && counts.left > 0;
  const isWaiting = counts !== null && counts.waiting > 0;

  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer says whether to go on
  useEffect(() => {
    if (counts !== null && !isAsking && !isWaiting) {
      return;
    }
    const next = isAsking ? api.sendBrochure : api.brochure;
    const isPoll = isWaiting && !isAsking;
    const timer = window.setTimeout(
      () => void run(async () => setCounts(await next())),
      isPoll ? POLL_MS : 0,
    );
    return () => window.clearTimeout(timer);
  }, [counts, begun, attempt]);

  function progress(now: Brochure, then: Brochure): string {
    const mailed = now.delivered - then.delivered;
    const failed = now.failed - then.failed;
    const all = mailed + failed + now.waiting + now.left;
    return texts.brochure.progress(mailed, all, failed);
  }

  return (
    <div className="desk-panel">
      <h2 tabIndex={-1}>{texts.sendBrochure}</h2>
      {counts === null ? (
        <p className="desk-quiet">{texts.loading}</p>
      ) : (
        <dl className="desk-counts">
          {shown.map((each) => (
            <div key={each}>
              <dt>{texts.brochure.counts[each]}</dt>
              <dd>{counts[each]}</dd>
            </div>
          ))}
        </dl>
      )}
      <p role="status">
        {counts !== null && begun !== null && progress(counts, begun)}
        {counts?.left === 0 && begun === null && texts.brochure.nobodyLeft}
        {begun !== null && !isAsking && !isWaiting && ` ${texts.brochure.done}`}
      </p>
      {failure !== null && <Failed text={failure} onRetry={() => setAttempt(attempt + 1)} />}
      <p className="desk-buttons">
        {toSend !== null && toSend.left > 0 && (
          <Button busy={begun !== null} onClick={() => setBegun(toSend)}>
            {texts.brochure.send(toSend.left)}
          </Button>
        )}
        <Button plain disabled={isAsking && failure === null} onClick={onClose}>
          {texts.brochure.close}
        </Button>
      </p>
    </div>
  );
}
