import { useTranslation } from "#shared/i18n/use-translation.tsx";
import { unbroken } from "#shared/ui/unbroken.tsx";
import { type Place, project } from "#site/content/project.ts";
import { useFactText } from "#site/content/project-facts.tsx";
import { LocalityMap } from "#site/features/map/locality-map.tsx";
import type { Messages } from "#site/i18n/messages.ts";
import { anchors } from "#site/routes.ts";
import "./location.css";

export function Location() {
  const { t } = useTranslation();
  return (
    <section id={anchors.location} className="location section">
      <h2 className="page-width">{t("location.heading")}</h2>
      <LocalityMap />
      <div className="location-cards page-width">
        {(["roads", "recreation", "offices"] as const).map((card) => (
          <div key={card} className="stack">
            <h3>{t(`location.${card}.heading`)}</h3>
            <p className="quiet">{unbroken(t(`location.${card}.text`))}</p>
          </div>
        ))}
      </div>
      <Nearby />
    </section>
  );
}

function Nearby() {
  const { t } = useTranslation();
  const factText = useFactText();
  type Text = keyof Messages["location"]["nearby"];
  const place = (name: Text, distance: Text): Place => ({
    name: t(`location.nearby.${name}`),
    distance: t(`location.nearby.${distance}`),
  });
  const lists: Partial<Record<Text, Place[] | null>> = {
    shopping: [
      place("shops", "onSite"),
      place("supermarket", "onSite"),
      place("eateries", "withinKilometres"),
      place("shoppingBelt", "minutesByCar"),
    ],
    schools: [place("childcare", "onSite"), ...(project.schools ?? [])],
    businessParks: project.businessParks,
    healthcare: [place("clinics", "aboutKilometre"), place("hospitals", "withinKilometres")],
  };
  return (
    <div className="nearby page-width">
      <h3>{t("location.nearby.heading")}</h3>
      <div className="nearby-lists">
        {(Object.keys(lists) as Text[]).map((list) => (
          <div key={list}>
            <h4 className="label">{t(`location.nearby.${list}`)}</h4>
            <ul className="hairline-list">
              {lists[list]?.map(({ name, distance }) => (
                <li key={typeof name === "string" ? name : name.en} className="spread">
                  <span>{factText(name)}</span>{" "}
                  <span className="nearby-distance quiet">{factText(distance)}</span>
                </li>
              )) ?? <li>{factText(null)}</li>}
            </ul>
          </div>
        ))}
      </div>
    </div>
  );
}
