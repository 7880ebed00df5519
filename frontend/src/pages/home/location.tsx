import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { FactText } from "#content/fact-text.tsx";
import { type Place, project } from "#content/project.ts";
import { LocalityMap } from "#features/map/locality-map.tsx";
import { anchors } from "#routes.ts";
import { Unbroken } from "#ui/unbroken.tsx";
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
            <p className="quiet">
              <Unbroken text={t(`location.${card}.text`)} />
            </p>
          </div>
        ))}
      </div>
      <Nearby />
    </section>
  );
}

/** A directory of places: the name at the left, how far it is at the right. */
function Nearby() {
  const { t } = useTranslation();
  return (
    <div className="nearby page-width">
      <h3>{t("location.nearby.heading")}</h3>
      <div className="nearby-lists">
        <NearbyList name={t("location.nearby.shopping")}>
          <Entry name={t("location.nearby.shops")} distance={t("location.nearby.onSite")} />
          <Entry name={t("location.nearby.supermarket")} distance={t("location.nearby.onSite")} />
          <Entry
            name={t("location.nearby.eateries")}
            distance={t("location.nearby.withinKilometres")}
          />
          <Entry
            name={t("location.nearby.shoppingBelt")}
            distance={t("location.nearby.minutesByCar")}
          />
        </NearbyList>
        <NearbyList name={t("location.nearby.schools")}>
          <Entry name={t("location.nearby.childcare")} distance={t("location.nearby.onSite")} />
          {project.schools !== null && <Places places={project.schools} />}
        </NearbyList>
        <NearbyList name={t("location.nearby.businessParks")}>
          <Places places={project.businessParks} />
        </NearbyList>
        <NearbyList name={t("location.nearby.healthcare")}>
          <Entry
            name={t("location.nearby.clinics")}
            distance={t("location.nearby.aboutKilometre")}
          />
          <Entry
            name={t("location.nearby.hospitals")}
            distance={t("location.nearby.withinKilometres")}
          />
        </NearbyList>
      </div>
    </div>
  );
}

function NearbyList({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <h4 className="label">{name}</h4>
      <ul className="hairline-list">{children}</ul>
    </div>
  );
}

function Places({ places }: { places: Place[] | null }) {
  if (places === null) {
    return (
      <li>
        <FactText fact={null} />
      </li>
    );
  }
  return places.map(({ name, distance }) => (
    <Entry
      key={typeof name === "string" ? name : name.en}
      name={<FactText fact={name} />}
      distance={<FactText fact={distance} />}
    />
  ));
}

function Entry({ name, distance }: { name: ReactNode; distance: ReactNode }) {
  return (
    <li className="spread">
      <span>{name}</span> <span className="nearby-distance quiet">{distance}</span>
    </li>
  );
}
