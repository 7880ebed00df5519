import { useEffect, useRef, useState } from "react";
import { Actions } from "./actions.tsx";
import type { Entry, Lead } from "./api.ts";
import { useDesk, useTask } from "./context.ts";
import type { Texts } from "./texts.ts";
import { inWords } from "./time.ts";

interface Props {
  id: string;
  /** The lead, where it is known already. */
  first?: Lead;
  people: string[];
}

export function LeadPage({ id, first, people }: Props) {
  const { api, texts } = useDesk();
  const { failure, run } = useTask();
  const [lead, setLead] = useState(first ?? null);
  const [attempt, setAttempt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: read once, and on trying again
  useEffect(() => {
    if (first === undefined) {
      void run(async () => setLead(await api.lead(id)));
    }
  }, [attempt]);

  if (lead !== null) {
    return <Shown lead={lead} people={people} onChanged={setLead} />;
  }
  return failure === null ? (
    <p className="desk-quiet">{texts.loading}</p>
  ) : (
    <div className="desk-panel" role="alert">
      <p>{failure}</p>
      <button type="button" className="button button-small" onClick={() => setAttempt(attempt + 1)}>
        {texts.retry}
      </button>
    </div>
  );
}

function Shown({
  lead,
  people,
  onChanged,
}: {
  lead: Lead;
  people: string[];
  onChanged: (lead: Lead) => void;
}) {
  const { language, texts } = useDesk();
  const heading = useRef<HTMLHeadingElement>(null);
  const { progress } = lead;

  useEffect(() => heading.current?.focus(), []);

  return (
    <article className="desk-lead">
      <div className="desk-who">
        <p className="desk-quiet">
          {lead.interests.map((interest) => texts.interests[interest]).join(" · ")}
        </p>
        <h1 ref={heading} tabIndex={-1} lang={lead.language === "zh" ? "zh-Hans" : "en"}>
          {lead.name}
        </h1>
        <p className="desk-quiet">
          {lead.reference} · {texts.received(inWords(lead.submitted_at, language))}
        </p>
        {progress !== null && (
          <p className="desk-standing">
            <strong>{texts.states[progress.state]}</strong>
            {progress.closing_reason !== null && ` · ${texts.reasons[progress.closing_reason]}`}
            {" · "}
            {texts.whoseIs(progress.owner)}
            {nextStep(texts, progress.state, progress.next_step_at, (at) => inWords(at, language))}
          </p>
        )}
        <Reach lead={lead} />
        {lead.questions !== "" && (
          <section>
            <h2>{texts.question}</h2>
            <p className="desk-question" dir="auto">
              {lead.questions}
            </p>
          </section>
        )}
        {lead.automatic && <p className="desk-quiet">{texts.automatic}</p>}
        {lead.same_number.length > 0 && (
          <p className="desk-quiet">{texts.sameNumber(lead.same_number.join(", "))}</p>
        )}
      </div>
      {progress !== null && (
        <Actions lead={lead} progress={progress} people={people} onChanged={onChanged} />
      )}
      {lead.timeline.length > 0 && (
        <section className="desk-history">
          <h2>{texts.history}</h2>
          <ol>
            {lead.timeline.toReversed().map((entry, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: entries have nothing else that is one's own
              <li key={`${entry.at} ${index}`}>
                <time dateTime={entry.at}>{inWords(entry.at, language)}</time>
                <span>{story(texts, entry, (at) => inWords(at, language))}</span>
              </li>
            ))}
          </ol>
          {lead.related.length > 0 && (
            <>
              <h2>{texts.related}</h2>
              <ul>
                {lead.related.map((other) => (
                  <li key={other.id}>
                    <a href={`#/leads/${other.id}`}>
                      {other.reference} · {texts.states[other.state]}
                    </a>{" "}
                    <span>{inWords(other.submitted_at, language)}</span>
                  </li>
                ))}
              </ul>
            </>
          )}
        </section>
      )}
    </article>
  );
}

/** The ways to reach the visitor; hidden first from who must not be contacted. */
function Reach({ lead }: { lead: Lead }) {
  const { texts } = useDesk();
  const [all, setAll] = useState(false);
  const silent = lead.progress?.do_not_contact === true;
  return (
    <>
      {silent && <p className="desk-silent">{texts.silent}</p>}
      {silent && !all ? (
        <button type="button" className="desk-link" onClick={() => setAll(true)}>
          {texts.showAnyway}
        </button>
      ) : (
        <p className="desk-reach">
          {lead.telephone === null ? (
            <span>{texts.noNumber(lead.mobile)}</span>
          ) : (
            <>
              <a className="button" href={`tel:${lead.telephone}`}>
                {texts.call} {lead.mobile}
              </a>
              <a
                className="button button-plain"
                href={`https://wa.me/${lead.telephone.replace(/\D/g, "")}`}
                rel="noreferrer"
              >
                {texts.whatsapp}
              </a>
            </>
          )}
          <a
            className="button button-plain"
            href={`mailto:${encodeURIComponent(lead.email).replace("%40", "@")}?subject=${encodeURIComponent(`Zyon Grand ${lead.reference}`)}`}
          >
            {texts.email}
          </a>
        </p>
      )}
    </>
  );
}

function nextStep(
  texts: Texts,
  state: Lead["related"][number]["state"],
  at: string | null,
  words: (at: string) => string,
): string {
  return at !== null && (state === "new" || state === "contacted" || state === "visiting")
    ? ` · ${texts.nextStep[state](words(at))}`
    : "";
}

/** An entry of the timeline as a sentence. */
export function story(texts: Texts, entry: Entry, words: (at: string) => string): string {
  switch (entry.event) {
    case "submitted":
    case "acknowledged":
    case "brochure":
    case "repeated":
      return texts.events[entry.event];
    case "noted":
      return texts.said(entry.by, entry.text);
    case "contact_changed":
      return texts.said(entry.by, entry.do_not_contact ? texts.forbidden : texts.allowed);
    case "progressed": {
      const { state, closing_reason, owner } = entry;
      const what = state === null ? "" : texts.states[state];
      const why = closing_reason === null ? "" : ` · ${texts.reasons[closing_reason]}`;
      const next = state === null ? "" : nextStep(texts, state, entry.next_step_at, words);
      return texts.said(entry.by, `${what}${why}${next} · ${texts.whoseIs(owner ?? "")}`);
    }
  }
}
