import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { type Period, periods, reportAddress } from "#desk/address.ts";
import { language, texts } from "#desk/language.ts";
import { daysBetween, inWords, zoneName } from "#desk/time.ts";
import { errorText } from "#desk/ui/error-text.ts";
import { Failed } from "#desk/ui/failed.tsx";
import { Heading } from "#desk/ui/heading.tsx";
import { words } from "./format.ts";
import { type Report, reportQuery } from "./report.ts";

/** Loaded when somebody opens the report, with the library of its charts. */
const ReportView = lazy(async () => {
  const { ReportView: view } = await import("./report-view.tsx");
  return { default: view };
});

/** How the launch goes, in figures and pictures. */
export function ReportPage({ days }: { days: Period }) {
  const { data: report, error, isError, isPending, refetch } = useQuery(reportQuery(days));
  return (
    <>
      <a className="desk-link" href="#/leads">
        {texts.list}
      </a>
      <article className="report">
        <header className="report-head">
          <Heading>{texts.report}</Heading>
          <nav aria-label={words.switch}>
            {periods.map((period) => (
              <a
                key={period}
                className="chip"
                href={reportAddress(period)}
                aria-current={period === days ? "page" : undefined}
              >
                {words.days(period)}
              </a>
            ))}
          </nav>
          <button
            type="button"
            className="button button-small button-plain"
            onClick={() => window.print()}
          >
            {words.print}
          </button>
        </header>
        <p className="desk-quiet" role="status">
          {isPending ? texts.loading : report && computed(report)}
        </p>
        {isError && <Failed text={errorText(error)} onRetry={() => void refetch()} />}
        {report && (
          <Suspense fallback={<p className="desk-quiet">{texts.loading}</p>}>
            <ReportView report={report} />
          </Suspense>
        )}
      </article>
    </>
  );
}

/** The period of a report, and when it was computed. */
function computed({ from, before, computed_at, time_zone }: Report): string {
  const period = daysBetween(from, before, language, time_zone) ?? "";
  const when = inWords(computed_at, language, time_zone);
  return `${period}\u00a0· ${words.computed(when, zoneName(time_zone, language))}`;
}
