import privacy from "#site/content/privacy/2026-11-29.en.json" with { type: "json" };

export const texts = {
  hero: {
    lead: "Two towers of {{storeys}}\u00a0storeys, {{firstStation}}\u00a0metres from the metro.",
    facts:
      "1\u2013\u20605\u00a0bedrooms \u00b7 {{smallest}}\u2013\u2060{{largest}}\u00a0sq\u00a0ft \u00b7 {{residences}}\u00a0homes",
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
  overview: {
    heading: "Home, seventy metres from the metro",
    lead: "Zyon Grand has {{residences}}\u00a0homes in two {{storeys}}-storey towers, next to a metro station in a central district of the city.",
    third:
      "A third tower has {{apartmentStoreys}}\u00a0storeys of serviced apartments, with restaurants, a supermarket and a childcare centre.",
    range:
      "Homes range from a one-bedroom of {{smallest}}\u00a0square feet to a penthouse of {{largest}}\u00a0square feet.",
  },
  rooms: { heading: "Rooms" },
  seePlan: "See the plan",
  seePlanOf: "See the plan of {{name}}",
  askAbout: "Ask about {{name}}",
  pictures: {
    arrival: "The arrival court",
    pool: "The lap pool",
    arrivalPicture:
      "The arrival court at dusk: a round canopy beside a pool of still water, shops in the podium behind it, and a residential tower rising above.",
    poolPicture:
      "The lap pool at dusk, lit from below, with loungers, parasols and cabanas along it, and a residential tower on its right.",
    living: "Living room, C1",
    livingPicture:
      "A living and dining room by day: an oak table in front, a pale sofa on the right, and glass doors to a balcony high above the river.",
    bedroom: "Main bedroom, C1",
    bedroomPicture:
      "A bedroom in morning light: a wide bed with a green throw, and a large window high above the city.",
    kitchen: "Kitchen, PH1",
    kitchenPicture:
      "An open kitchen by day: a marble island with stools, a bowl of fruit and a cup of coffee, oak cabinets behind it and a dining table in front.",
    penthouse: "Living room, PH3 (ceiling height illustrative)",
    penthousePicture:
      "A tall living room at dusk: two pale sofas face each other below rings of light, and high windows on three sides look over the city.",
    lobby: "The arrival lobby",
    lobbyPicture:
      "The lobby in the evening: walls of travertine, a stone desk in front of timber slats, armchairs on a rug below two rings of light, and a garden behind tall glass.",
  },
  points: {
    heading: "Ten reasons to look closer",
    metro: { unit: "m", text: "to the nearest metro station" },
    secondMetro: { unit: "m", text: "to a second metro station" },
    residences: { unit: "homes", text: "in two residential towers" },
    storeys: { unit: "storeys", text: "in each residential tower" },
    apartments: { unit: "storeys", text: "of serviced apartments, in a separate tower" },
    plans: { unit: "plans", text: "from {{smallest}} to {{largest}}\u00a0square feet" },
    tenure: { unit: "years", text: "leasehold from {{leaseStart}}" },
    facilities: { unit: "facilities", text: "on the preliminary list" },
    health: { unit: "km", text: "or less to eateries and hospitals" },
    shopping: { unit: "min", text: "or less by car to the shopping belt" },
  },
  information: {
    heading: "Project information",
    name: "Project name",
    developer: "Developer",
    developerText: "A joint venture company",
    description: "Description",
    descriptionText:
      "Mixed residential and commercial development: two {{storeys}}-storey residential towers with retail, and one {{apartmentStoreys}}-storey tower of serviced apartments with restaurants, a supermarket and a childcare centre",
    units: "Units",
    unitsText: "{{residences}}\u00a0residential units",
    tenure: "Tenure",
    tenureText: "Leasehold, {{leaseYears}}\u00a0years from {{leaseStart}}",
    unitTypes: "Unit types",
    unitTypesText: "1\u00a0Bedroom + Study to 5\u00a0Bedroom Supreme, and 2\u00a0penthouses",
    conceptArchitect: "Concept architect",
    projectArchitect: "Project architect",
    landscapeArchitect: "Landscape architect",
    licence: "Developer’s licence",
    lot: "Lot number",
    vacantPossession: "Expected vacant possession",
    legalCompletion: "Expected legal completion",
  },
  benefits: {
    heading: "The city below, the\u00a0horizon beyond",
    location: {
      heading: "Location",
      text: "Two metro stations are less than five minutes’ walk away.",
    },
    architecture: {
      heading: "Architecture",
      text: "Two residential towers rise side by side. The serviced apartments are in a lower tower.",
    },
    elevation:
      "Two towers of {{storeys}}\u00a0storeys and one of\u00a0{{apartmentStoreys}}. Each line is one storey.",
    level: "The view from level",
    storey: "{{level}}",
    south: "South from level\u00a0{{level}}",
    southPicture:
      "From a balcony on level {{level}}, looking south at dusk: the river with a cable-stayed bridge, parks and rows of red-roofed houses on the far bank, and the city stretching to the hills.",
    north: "North from level\u00a0{{level}}",
    northPicture:
      "From a balcony on level {{level}}, looking north by day: the towers of the city among trees, as far as the eye can see.",
  },
  facilities: {
    heading: "Facilities",
    gymnasium: { heading: "Gymnasium" },
    lapPool: { heading: "Lap pool" },
    kidsPool: { heading: "Kid’s pool" },
    fitnessCorner: { heading: "Fitness corner" },
    functionRooms: { heading: "Function rooms" },
    clubHouse: { heading: "Club house" },
    barbequePits: { heading: "Barbeque pits" },
    outdoorPavilion: { heading: "Outdoor pavilion" },
    rooftopTerraces: { heading: "Rooftop terraces" },
    greenGardens: { heading: "Green gardens" },
    note: "This list is a preliminary placeholder until the facilities are confirmed.",
  },
  location: {
    heading: "In the middle of the city",
    roads: {
      heading: "Roads and connectivity",
      text: "Four metro stations are nearby, two of them within a short walk.",
    },
    recreation: {
      heading: "Recreation, food and shopping",
      text: "Restaurants and a supermarket are on site.",
    },
    offices: {
      heading: "Workplace and offices",
      text: "The site is in a central district.",
    },
    nearby: {
      heading: "Nearby",
      shopping: "Shopping",
      schools: "Schools",
      businessParks: "Business parks",
      healthcare: "Healthcare",
      shops: "Shops, restaurants",
      supermarket: "Supermarket",
      eateries: "More eateries",
      shoppingBelt: "Shopping belt",
      childcare: "Childcare centre",
      clinics: "Clinics",
      hospitals: "Hospitals",
      onSite: "on site",
      withinKilometres: "within {{amenities}}\u00a0km",
      aboutKilometre: "about 1\u00a0km",
      minutesByCar: "within {{shopping}}\u00a0min by car",
    },
  },
  map: {
    picture:
      "Illustrated map: the three towers of the site beside a river. One metro station is {{firstStation}} metres from the edge of the site, another {{secondStation}} metres, and two more are {{thirdStation}} and {{fourthStation}} kilometres away. Dotted lines mark {{walkFive}} and {{walkTen}} metres, five and ten minutes on foot.",
    station: "Metro station",
    distance: {
      first: "{{firstStation}}\u00a0m",
      second: "{{secondStation}}\u00a0m",
      third: "{{thirdStation}}\u00a0km",
      fourth: "{{fourthStation}}\u00a0km",
    },
    reach: {
      five: "{{walkFive}}\u00a0m, 5\u00a0min on foot",
      ten: "{{walkTen}}\u00a0m, 10\u00a0min on foot",
    },
    amenities: "Eateries and hospitals",
    river: "River",
    scaleBar: "200\u00a0m",
    scale: "Illustrative map. Distances are measured from the edge of the site and drawn to scale.",
    open: "Open the interactive map",
    from: "Interactive map: {{host}}",
    title: "Interactive map",
    shown: "This map comes from {{host}}, which sees your network address while it is shown.",
    loading: "The map is loading.",
    close: "Back to the illustrated map",
    city: "This map shows the city around the site.",
    failed: "The interactive map is unavailable at the moment.",
  },
  questions: {
    heading: "Questions and answers",
    tenure: {
      question: "What is the tenure?",
      answer: "Leasehold, {{leaseYears}}\u00a0years from {{leaseStart}}.",
    },
    homes: {
      question: "Which homes are there?",
      answer:
        "{{residences}}\u00a0homes with one to five bedrooms. There are {{plans}}\u00a0floor plans, from {{smallest}} to {{largest}}\u00a0sq\u00a0ft.",
    },
    metro: {
      question: "How far is the metro?",
      answer:
        "The nearest station is {{firstStation}}\u00a0m away, and a second one {{secondStation}}\u00a0m.",
    },
    site: {
      question: "What else is on site?",
      answer:
        "Shops, restaurants, a supermarket, a childcare centre, and serviced apartments in a separate tower.",
    },
    release: {
      question: "When do the e-brochure and prices come out?",
      answer: "The date is to be announced. Registered visitors receive each as it is released.",
    },
    showFlat: {
      question: "Can I see a show flat?",
      answer:
        "Not yet. Its opening date, address and hours are to be announced. Registered visitors are told first.",
    },
  },
  callToAction: {
    heading: "Register to Get Latest Info when Released.",
    text: "Show flat: opening date, address and hours to be announced. Registered visitors are told first.",
    button: "Register your Interest",
  },
  contact: {
    heading: "Register your Interest Now",
    text: "Choose what you would like to hear about, and tell us how to reach you.",
    receive: {
      heading: "What you will receive",
      released: "The e-brochure, floor plans and prices, each as soon as it is released",
      showFlat: "A notice when the show flat is ready to preview",
      answer: "An answer to your question",
    },
    showFlat: "Show flat",
    hours: "Opening hours",
  },
  registration: {
    kept: "We kept what you typed.",
    startAgain: "Start again",
    required: "required",
    optional: "optional",
    interests: "Your interest",
    interest: {
      brochure: "Send me E-Brochure, Floor Plan & Pricing when Released!",
      purchase: "Interested to Purchase",
      showflat: "Interested in Early Brid Showflat Preview when Ready",
    },
    name: "Name",
    mobile: "Mobile",
    mobileHint: "with country code, such as +65",
    mobileCut: "Only the first {{limit}} characters were kept.",
    email: "Email",
    questions: "Questions",
    antiSpam: "What is 5+2?",
    privacyBefore: "I have read and accept the ",
    privacyLink: "privacy policy",
    submit: "Submit",
    use: "Only the Zyon Grand sales team receives this. It is not sold.",
    submitting: "Submitting...",
    error: {
      interests_required: "Please select at least one interest",
      name_required: "Name is required",
      name_too_long: "Name must be less than 100 characters",
      mobile_too_short: "Mobile number must be at least 8 digits",
      mobile_too_long: "Mobile number must be less than 20 characters",
      email_invalid: "Invalid email address",
      email_too_long: "Email must be less than 255 characters",
      questions_too_long: "Message must be less than 1000 characters",
      anti_spam_wrong: "Incorrect answer. Please solve the math problem.",
      privacy_required: "You must accept the privacy policy",
      privacy_outdated:
        "The privacy policy has changed. Please reload the page and accept the new version; what you typed is kept.",
      missing: "This field is required",
      wrong_type: "This answer could not be read",
      invalid: "Please check this answer",
      unknown_interest: "One of these choices is no longer offered",
    },
    accepted: {
      heading: "Thank you, we have it.",
      reference: "Your reference",
      copy: { label: "Copy", copied: "Copied", notCopied: "Select it to copy" },
      steps: {
        received: "Our sales team has your registration.",
        contact: "They will contact you.",
        released: "The e-brochure, floor plans and prices follow, each as it is released.",
      },
      ways: "You can also reach us directly:",
      plans: "Look at the floor plans",
      sheets: "All plans (PDF)",
      share: "Share with someone you decide with",
      another: "Register someone else",
    },
    failed: {
      heading: "Not sent yet",
      again: "Try again",
      offline:
        "You are offline. What you entered is kept in this tab. Please try again when you are online.",
      busy: "Many people are registering from your network right now. What you entered is still here. Please try again in a minute.",
      other: "What you entered is still here. Please try again in a minute.",
      ways: "Or reach us directly:",
    },
    plan: "You are asking about",
    removePlan: "Do not ask about {{name}}",
    ask: "I would like to know more about {{name}}.",
    message: "I would like to know more about Zyon Grand.",
    visit: {
      legend: "When could you visit?",
      day: { weekday: "Weekdays", weekend: "Weekend" },
      hour: { morning: "Morning", afternoon: "Afternoon", evening: "Evening" },
    },
  },
  privacy,
};
