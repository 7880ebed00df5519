import { questionIds } from "#content/project.ts";
import { useTranslation } from "#i18n/use-translation.tsx";
import { Folds } from "#ui/folds.tsx";

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
