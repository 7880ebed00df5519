import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { Folds } from "#shared/ui/folds.tsx";
import { questionIds } from "#site/content/project.ts";

export function Questions() {
  const { t } = useTranslation();
  const items = questionIds.map((id) => [
    t(`questions.${id}.question`),
    t(`questions.${id}.answer`),
  ]);
  return (
    <section className="section-end page-grid">
      <h2>{t("questions.heading")}</h2>
      <Folds items={Object.fromEntries(items)} />
    </section>
  );
}
