export const texts = {
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
    plan: "{{name}}: Zyon Grand",
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
  footer: {
    navigation: "Pages and sections",
    developer: "The developer",
    developerHeading: { heading: "Zyon Grand is being developed by a joint venture company." },
    aboutDeveloper: "About the developer",
    privacy: "Privacy policy",
    pictures: "Pictures are artist’s impressions. Layouts and areas are illustrative.",
    copyright: "© 2025 Zyon Grand. All rights reserved.",
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
  viewer: {
    close: "Close",
    previous: "Previous",
    next: "Next",
    position: "{{number}} of {{count}}",
    zoomIn: "Zoom in",
    zoomOut: "Zoom out",
  },
  ways: {
    phone: "Phone",
    whatsapp: "Message us on WhatsApp",
    wechat: "WeChat ID",
  },
  toast: {
    accepted: "Thank you for your interest! We will contact you soon.",
    invalid: "Please correct the errors in the form",
    failed: "Failed to submit form. Please try again.",
    dismiss: "Dismiss",
  },
  seePlans: "See the floor plans",
  share: {
    label: "Share",
    copied: "Link copied",
    notCopied: "Copy it from the address bar",
  },
  areaUnit: "sq\u00a0ft",
  unit: {
    A1: { heading: "1\u00a0Bedroom Compact A1" },
    A2: { heading: "1\u00a0Bedroom Deluxe A2" },
    A3: { heading: "1\u00a0Bedroom Premium A3" },
    B1: { heading: "2\u00a0Bedroom Compact B1" },
    B2: { heading: "2\u00a0Bedroom Deluxe B2" },
    C1: { heading: "3\u00a0Bedroom Deluxe C1" },
    C2N: { heading: "3\u00a0Bedroom Premium + Study C2N" },
    D1: { heading: "4\u00a0Bedroom Deluxe D1" },
    D2: { heading: "4\u00a0Bedroom Premium D2" },
    PH1: { heading: "5\u00a0Bedroom Penthouse PH1" },
    PH2: { heading: "PH2" },
    PH3: { heading: "PH3" },
  },
};
