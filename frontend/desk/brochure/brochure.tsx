import {
  queryOptions,
  type UseMutationResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useState } from "react";
import { api, type Brochure } from "#desk/api.ts";
import { texts } from "#desk/language.ts";
import { Button } from "#desk/ui/button.tsx";
import { errorText } from "#desk/ui/error-text.ts";
import { Failed } from "#desk/ui/failed.tsx";
import { usePanelFocus } from "#desk/ui/focus.ts";

const POLL_MS = 2_000;

const brochureQuery = queryOptions({ queryKey: ["brochure"], queryFn: api.brochure });

/** A lead for the test email. Absent from the shown leads, because they are a search or further down. */
const sampleQuery = queryOptions({
  queryKey: ["brochure", "sample"],
  queryFn: async ({ signal }) => {
    const { leads } = await api.leads({ interest: "brochure", after: "" }, signal);
    return leads[0]?.id ?? null;
  },
});

const shown = ["asked", "delivered", "waiting", "failed", "do_not_contact"] as const;

interface SendBrochureProps {
  /** A lead for the test email, whose visitor asked for the brochure; `null` if none is shown. */
  sample: string | null;
}

export function SendBrochure({ sample }: SendBrochureProps) {
  const [open, setOpen] = useState(false);
  /** Kept when the panel closes, so one test is enough until the page is reloaded. */
  const test = useMutation({ mutationFn: api.testBrochure });
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
      {open && <Sending sample={sample} test={test} onClose={() => setOpen(false)} />}
    </section>
  );
}

interface SendingProps extends SendBrochureProps {
  test: UseMutationResult<null, Error, string>;
  onClose: () => void;
}

/**
 * Shows the number of recipients, sends the brochure after a test email, and shows the progress until no email is waiting.
 */
function Sending({ sample: shownSample, test, onClose }: SendingProps) {
  const client = useQueryClient();
  const { data: found, isPending: isSearching } = useQuery({
    ...sampleQuery,
    enabled: shownSample === null,
  });
  const sample = shownSample ?? found ?? null;
  const isTestable = sample !== null || isSearching;
  const sending = useMutation({
    mutationFn: async (_before: Brochure) => {
      let now: Brochure;
      do {
        now = await api.sendBrochure();
        client.setQueryData(brochureQuery.queryKey, now);
      } while (now.left > 0);
    },
  });
  const { data: counts, ...counting } = useQuery({
    ...brochureQuery,
    refetchInterval: ({ state }) => (state.data && state.data.waiting > 0 ? POLL_MS : false),
    enabled: !sending.isPending,
  });
  const before = sending.variables;
  const toSend = before ?? counts;
  const hasLeft = toSend !== undefined && toSend.left > 0;
  const isUntested = isTestable && hasLeft && !before && !test.isSuccess;
  const error = sending.error ?? test.error ?? counting.error;

  function progress(now: Brochure, then: Brochure): string {
    const mailed = now.delivered - then.delivered;
    const failed = now.failed - then.failed;
    const all = mailed + failed + now.waiting + now.left;
    return texts.brochure.progress(mailed, all, failed);
  }

  return (
    <div className="desk-panel">
      <h2 tabIndex={-1}>{texts.sendBrochure}</h2>
      {counts === undefined ? (
        <p className="desk-quiet">{texts.loading}</p>
      ) : (
        <dl className="desk-counts">
          {shown.map((each) => (
            <div key={each}>
              <dt>{texts.brochure.counts[each]}</dt>
              <dd>{counts[each]}</dd>
            </div>
          ))}
          <div>
            <dt>{texts.brochure.leftOut}</dt>
            <dd>{leftOut(counts)}</dd>
          </div>
        </dl>
      )}
      <p role="status">
        {counts && before && progress(counts, before)}
        {counts?.left === 0 && !before && texts.brochure.nobodyLeft}
        {counts?.waiting === 0 && sending.isSuccess && ` ${texts.brochure.done}`}
        {test.isSuccess && !before && ` ${texts.brochure.tested}`}
      </p>
      {error !== null && (
        <Failed
          text={errorText(error)}
          onRetry={() => {
            if (sending.isError) {
              sending.mutate(sending.variables);
            } else if (test.isError) {
              test.mutate(test.variables);
            } else {
              void counting.refetch();
            }
          }}
        />
      )}
      {isUntested && (
        <p id="desk-untested" className="desk-quiet">
          {texts.brochure.testFirst}
        </p>
      )}
      <p className="desk-buttons">
        {sample !== null && (
          <Button plain={!isUntested} busy={test.isPending} onClick={() => test.mutate(sample)}>
            {texts.brochure.test}
          </Button>
        )}
        {hasLeft && (
          <Button
            plain={isUntested}
            busy={before !== undefined || isUntested}
            aria-describedby={isUntested ? "desk-untested" : undefined}
            onClick={() => sending.mutate(toSend)}
          >
            {texts.brochure.send(toSend.left)}
          </Button>
        )}
        <Button plain disabled={sending.isPending} onClick={onClose}>
          {texts.brochure.close}
        </Button>
      </p>
    </div>
  );
}

/** Number of addresses that are in none of the other numbers. */
function leftOut({ asked, ...others }: Brochure): number {
  return asked - Object.values(others).reduce((sum, count) => sum + count, 0);
}
