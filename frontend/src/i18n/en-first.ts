/** Texts of the first screen, the shell and the message pages. */
export const enFirst = {
  head: {
    home: {
      title: "Zyon Grand: residences beside the metro",
      description:
        "{{residences}} residences in two {{storeys}}-storey towers, {{firstStation}} metres from the metro. Register for the e-brochure, floor plans, prices and show flat preview.",
    },
    floorPlans: {
      title: "Floor plans: Zyon Grand",
      description:
        "Twelve floor plans, from a one-bedroom home of {{smallest}} sq ft to a penthouse of {{largest}} sq ft, each with its area, bedrooms and bathrooms.",
    },
    notFound: {
      title: "Page not found: Zyon Grand",
      description: "There is no page at this address.",
    },
    planTitle: "{{name}}: Zyon Grand",
    picture:
      "Artist’s impression of Zyon Grand: two tall towers and a lower one beside the water at dusk.",
  },
  toBeAnnounced: "To be announced",
  impression: "Artist’s impression",
  bar: {
    skip: "Skip to content",
    home: "Zyon Grand, home",
    register: "Register Interest",
    main: "Main",
    menu: "Menu",
  },
  nav: {
    home: "Home",
    floorPlans: "Floor Plans",
    developer: "Developer",
    project: "Zyon Grand",
    region: "Central Region",
    blog: "Blog",
    showFlat: "Show Flat",
    contact: "Contact",
  },
  hero: {
    lead: "Two towers of {{storeys}}\u00a0storeys, {{firstStation}}\u00a0metres from the metro.",
    plans: "See the floor plans",
    picture:
      "Two tall towers and a lower one beside the river at dusk, mirrored in the water, with the city behind them.",
  },
  update: {
    label: "Latest Update",
    heading: "Find out when the show flat opens",
    before:
      "Register to receive the e-brochure, floor plans and prices as each is released, and to hear about the ",
    link: "show flat preview",
    after: " once it is ready.",
  },
  footer: {
    navigation: "Pages and sections",
    developer: "The developer",
    developerHeading: { heading: "Zyon Grand is being developed by a joint venture company." },
    aboutDeveloper: "About the developer",
    pictures: "Pictures are artist’s impressions. Layouts and areas are illustrative.",
    copyright: "© 2025 Zyon Grand. All rights reserved.",
    privacy: "Privacy policy",
  },
  notFound: {
    heading: "404",
    text: "Oops! Page not found",
    home: "Return to Home",
  },
  unexpected: {
    heading: "Unexpected Application Error!",
    text: "Please reload the page. What you typed in the form is kept.",
    reload: "Reload",
  },
};
