import { useEffect, useState } from "react";
import { Actions } from "./actions.tsx";
import type { Lead, Me } from "./api.ts";
import { useDesk, useTask } from "./context.ts";
import { FailedView, Heading } from "./elements.tsx";
import { LeadView } from "./lead-view.tsx";

/** A lead, for who is signed in. */
export function LeadPage({ id, me }: { id: string; me: Me }) {
  const { api, texts } = useDesk();
  const { failure, run } = useTask();
  const [lead, setLead] = useState<Lead | null>(null);
  const [attempt, setAttempt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: read once, and on trying again
  useEffect(() => {
    void run(async () => setLead(await api.lead(id)));
  }, [attempt]);

  if (failure !== null) {
    return <FailedView text={failure} onRetry={() => setAttempt(attempt + 1)} />;
  }
  if (lead === null || lead.progress === null) {
    return <Heading>{texts.loading}</Heading>;
  }
  return (
    <LeadView lead={lead}>
      <Actions lead={lead} progress={lead.progress} me={me} onChanged={setLead} />
    </LeadView>
  );
}
