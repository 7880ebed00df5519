import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Fragment, type ReactNode, useEffect, useState } from "react";
import { hasCode, type Lead, leadQuery, type Me } from "#desk/api.ts";
import { language, texts } from "#desk/language.ts";
import { useFormatTime } from "#desk/session/session.ts";
import { deskTexts } from "#desk/texts.ts";
import { errorText } from "#desk/ui/error-text.ts";
import { DeadEnd, FailedView } from "#desk/ui/failed.tsx";
import { focusOnMount } from "#desk/ui/focus.ts";
import { Heading } from "#desk/ui/heading.tsx";
import { Actions } from "./actions.tsx";
import {
  dncResult,
  eventText,
  hasAgreedAgain,
  interestsIn,
  joined,
  statusTextFor,
  suspicion,
} from "./lead-text.ts";

interface LeadPageProps {
  /** May also be the lead's reference, whose address is replaced. */
  id: string;
  me: Me;
  /** The address of the list from which the person came. */
  list: string;
}

/** A lead for a logged-in person. */
export function LeadPage({ id, me, list }: LeadPageProps) {
  const client = useQueryClient();
  // `Actions` decides when the lead is reloaded.
  const options = { ...leadQuery(id), refetchOnWindowFocus: false };
  const { data: found, error, isError, refetch } = useQuery(options);
  const lead = found?.id === id ? found : undefined;
  const isMissing = hasCode(error, "no_such_lead", "ambiguous_reference");

  useEffect(() => {
    if (found !== undefined && found.id !== id) {
      client.setQueryData(leadQuery(found.id).queryKey, (known) => known ?? found);
      window.location.replace(`#/leads/${found.id}`);
    }
  }, [client, found, id]);

  return (
    <>
      <a className="desk-link" href={list}>
        {texts.list}
      </a>
      {lead?.progress ? (
        <LeadView lead={lead} by={me.name}>
          <Actions lead={lead} progress={lead.progress} me={me} />
        </LeadView>
      ) : isMissing ? (
        <DeadEnd heading={texts.leadMissing} text={errorText(error)} />
      ) : isError ? (
        <FailedView text={errorText(error)} onRetry={() => void refetch()} />
      ) : (
        <Heading>{texts.loading}</Heading>
      )}
    </>
  );
}

interface LeadViewProps {
  lead: Lead;
  /** The person who writes to the visitor. */
  by: string;
  children?: ReactNode;
}

/** A lead with the content of its email, and for a logged-in person with state and history. */
export function LeadView({ lead, by, children }: LeadViewProps) {
  const formatTime = useFormatTime();
  const { progress } = lead;
  return (
    <article className="desk-lead">
      <div className="desk-who">
        <p className="desk-quiet">{interestsIn(lead.interests)}</p>
        <Heading title={lead.reference} lang={lead.language === "zh" ? "zh-Hans" : "en"}>
          {lead.name}
        </Heading>
        <Facts lead={lead} />
        <p className="desk-quiet">
          {joined(
            lead.reference,
            texts.received(formatTime(lead.submitted_at)),
            texts.languages[lead.language],
          )}
        </p>
        {progress !== null && (
          <p className="desk-standing">{statusTextFor(by, progress, lead.timeline, formatTime)}</p>
        )}
        {progress?.state === "visit_booked" && progress.next_step_at !== null && (
          <a className="desk-link" href={`/desk/api/leads/${lead.id}/visit.ics`}>
            {texts.toCalendar}
          </a>
        )}
        {lead.number_withdrawn_at !== null && !lead.do_not_contact && (
          <p className="desk-silent">
            {texts.numberWithdrawn(formatTime(lead.number_withdrawn_at))}
          </p>
        )}
        {lead.withdrawn_at !== null && (
          <p className="desk-silent">{texts.withdrewConsent(formatTime(lead.withdrawn_at))}</p>
        )}
        {hasAgreedAgain(lead) && (
          <p className="desk-silent">
            {texts.enquiredAgain(formatTime(lead.submitted_at), lead.channels)}
          </p>
        )}
        {lead.was_corrected && <p className="desk-silent">{texts.wasCorrected}</p>}
        <Reach lead={lead} by={by} />
        {lead.questions !== "" && (
          <section>
            <h2>{texts.question}</h2>
            <p className="desk-question" dir="auto">
              {lead.questions}
            </p>
          </section>
        )}
        {lead.signals.length > 0 && <p className="desk-quiet">{suspicion(lead)}</p>}
        {lead.same_number.length > 0 && (
          <p className="desk-quiet">
            {texts.sameNumber}
            {lead.same_number.map((reference, index) => (
              <Fragment key={reference}>
                {index > 0 && texts.listSeparator}
                <a href={`#/leads/${reference}`}>{reference}</a>
              </Fragment>
            ))}
          </p>
        )}
      </div>
      {children}
      {lead.timeline.length > 0 && <History lead={lead} />}
    </article>
  );
}

/** What the visitor chose besides the question: the plan, the homes and the times of a visit. */
function Facts({ lead: { plan, homes, visit_times } }: { lead: Lead }) {
  return (
    <>
      {plan !== null && (
        <p className="desk-fact">
          {joined(plan.names[language], plan.area ? texts.area(plan.area) : "")}
        </p>
      )}
      {homes && <p className="desk-fact">{texts.home(homes[language])}</p>}
      {visit_times.length > 0 && (
        <p className="desk-fact">{texts.canVisit(visit_times.map(({ name }) => name[language]))}</p>
      )}
    </>
  );
}

/** Links for the channels that the visitor agreed to, hidden at first if they must not be contacted. */
function Reach({ lead, by }: { lead: Lead; by: string }) {
  const [all, setAll] = useState(false);
  const { greeting } = deskTexts[lead.language];
  const text = encodeURIComponent(greeting({ ...lead, by, plan: lead.plan?.name ?? "" }));
  const subject = encodeURIComponent(`Zyon Grand ${lead.reference}`);
  const address = encodeURIComponent(lead.email).replace("%40", "@");
  const isHidden = lead.do_not_contact && !all;
  return (
    <>
      {lead.do_not_contact && <p className="desk-silent">{texts.silent}</p>}
      {lead.timeline.some(({ event }) => event === "erasure_requested") && (
        <p className="desk-silent">{texts.erasureRequested}</p>
      )}
      {isHidden ? (
        <button type="button" className="desk-link" onClick={() => setAll(true)}>
          {texts.showAnyway}
        </button>
      ) : (
        <div ref={all ? focusOnMount : null} tabIndex={-1}>
          <p className="desk-reach">
            {lead.phone === null ? (
              <span>{texts.noNumber(lead.mobile)}</span>
            ) : (
              <>
                {lead.channels.includes("phone") ? (
                  <>
                    <a className="button" href={`tel:${lead.phone}`}>
                      {texts.call} {lead.mobile}
                    </a>
                    {lead.dialled && (
                      <span className="desk-quiet">
                        {texts.dials(lead.dialled, lead.country_code_added)}
                      </span>
                    )}
                  </>
                ) : (
                  <span>{lead.mobile}</span>
                )}
                {lead.channels.includes("message") && lead.takes_messages && (
                  <a
                    className="button button-plain"
                    href={`https://wa.me/${lead.phone.replace(/\D/g, "")}?text=${text}`}
                    rel="noreferrer"
                  >
                    {texts.whatsapp}
                  </a>
                )}
              </>
            )}
            {!lead.was_corrected && (
              <a
                className="button button-plain"
                href={`mailto:${address}?subject=${subject}&body=${text}`}
              >
                {texts.email}
              </a>
            )}
          </p>
          <p className="desk-address">{lead.email}</p>
          {lead.phone !== null && (
            <p className="desk-quiet">
              {texts.agreed(lead.channels)} {dncResult(lead)}
            </p>
          )}
        </div>
      )}
    </>
  );
}

function History({ lead }: { lead: Lead }) {
  const formatTime = useFormatTime();
  return (
    <section className="desk-history">
      <h2>{texts.history}</h2>
      <ol>
        {[...lead.timeline].reverse().map((entry, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries have no unique value
          <li key={`${entry.at} ${index}`}>
            <time dateTime={entry.at}>{formatTime(entry.at)}</time>
            <span>{eventText(entry, formatTime)}</span>
          </li>
        ))}
      </ol>
      {lead.related.length > 0 && (
        <>
          <h2>{texts.related}</h2>
          <ul>
            {lead.related.map((other) => (
              <li key={other.lead_id}>
                <a href={`#/leads/${other.lead_id}`}>
                  {joined(other.reference, texts.states[other.state])}
                </a>{" "}
                <span>{formatTime(other.submitted_at)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
