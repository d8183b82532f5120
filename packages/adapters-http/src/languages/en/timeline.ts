import type { CsvColumns, Import } from "@place-access/domain/imports"
import { type Html, html, type Text } from "../../html/Html.js"
import { number, plural } from "./words.js"

/** The texts of the timeline: a person's own days and visits, and the deletion of a part of a day. */
export const timeline = {
  heading: "My timeline",
  titleOf: (day: Html): Html => html`Timeline: ${day}`,
  nothingKnown: "Nothing is known of this day.",
  nothingOnMap:
    "The locations of this day are not on the map: they are imprecise, or from a device that you had left behind.",
  isCut: "This day has very many locations. Its end is shown.",
  isIncomplete: "Some visits of this day are not computed yet. Reload the page in a minute.",
  download: "Download this day (GPX)",
  fileIsCut: (most: number): string => `The file has the first ${number(most)} locations of this day.`,
  aside: "Other days and this day's data",
  dayBefore: "The day before",
  dayAfter: "The day after",
  stillThere: (duration: Html): Html => html`${duration}, still there`,
  atLeast: (duration: Html, at: Html): Html => html`${duration}, until ${at} at least`,
  /**
   * The text about a stay whose end is uncertain, because the phone was silent after the stay and its next reading was
   * far away.
   */
  uncertain: (duration: Html, at: Html): Html =>
    html`${duration} at least. Uncertain when it ended: the phone was silent from ${at}, and then far away`,
  until: (duration: Html, at: Html): Html => html`${duration}, until ${at}`,
  since: (at: Html): Html => html`Since ${at}`,
  near: (town: string): string => `Near ${town}`,
  stop: "A stop",
  stopNear: (town: string): string => `A stop near ${town}`,
  makePlace: "Make it a place",
  way: "On the way",
  wayLength: (duration: Html, distance: Html): Html => html`${duration}, ${distance}`,
  deleted: (duration: Html): Html => html`You deleted ${duration}`,
  gap: (duration: Html): Html => html`Nothing known for ${duration}`,
  metres: (metres: number): string => `${metres} m`,
  kilometres: (kilometres: number): string => `${kilometres.toFixed(1)} km`,
  totals: {
    heading: "Totals",
    visits: (duration: Html, count: number): Html => html`${duration}, ${plural(count, "visit", "visits")}`,
    locations: "Locations",
    onMap: "Locations on the line"
  },
  saw: {
    heading: "Which app saw what",
    nobody: "No app asked or was told anything on this day.",
    entries: (count: number): string => `${plural(count, "entry", "entries")} in all`,
    more: (app: string): string => `All of ${app} in your access log`
  },
  calendar: {
    month: (name: string, year: number): string => `${name} ${year}`,
    around: "Days around this one",
    before: "The month before",
    after: "The month after",
    locations: (count: number): string => plural(count, "location", "locations"),
    weekdays: {
      monday: { short: "Mon", long: "Monday" },
      tuesday: { short: "Tue", long: "Tuesday" },
      wednesday: { short: "Wed", long: "Wednesday" },
      thursday: { short: "Thu", long: "Thursday" },
      friday: { short: "Fri", long: "Friday" },
      saturday: { short: "Sat", long: "Saturday" },
      sunday: { short: "Sun", long: "Sunday" }
    }
  },
  erase: {
    labels: { from: "From", until: "Until" },
    part: "Delete a part of this day",
    parts: {
      morning: "Until 12:00…",
      afternoon: "12:00 to 18:00…",
      evening: "From 18:00…"
    },
    button: "Delete…",
    wholeDay: "Delete the whole day…",
    hint: "You see first what would be deleted.",
    title: "Delete a part of your history",
    question: "Delete this part of your history?",
    stretch: (from: Html, until: Html): Html => html`${from} until ${until}`,
    going: (locations: number): string =>
      `${plural(locations, "location", "locations")} of this time ${locations === 1 ? "is" : "are"} deleted for good. Nobody can bring back what is deleted.`,
    visits: (from: Html): Html =>
      html`A visit that began in this time is deleted. Later locations may still show the rest of it. A visit that began
      before ends at ${from}. What your phone sends later of this time is not kept.`,
    rules: "Rules of apps begin anew, and events of this time that were not sent yet are not sent.",
    known: "What apps already know",
    nobodyAsked: "No app asked in that time.",
    asked: "These apps asked in that time. What they learned stays with them:",
    requests: (app: Html, count: number): Html => html`${app}, ${plural(count, "request", "requests")}`,
    later:
      "Apps that asked later may also have asked about this time. Archives that you created before still have it. The record of what we sent to an app stays with us for up to 30 days, and its developer can read it.",
    gap: "An app that may ask about the past can tell from the gap that you deleted this time.",
    forGood: "Delete for good",
    cancel: "Cancel"
  },
  visits: {
    heading: (place: string): string => `Visits to ${place}`,
    none: "No visit is known.",
    noneBefore: "No visit is known before these.",
    arrived: "Arrived",
    left: "Left",
    duration: "Duration",
    stillThere: "Still there",
    uncertain: (lastSeen: Html): Html => html`Uncertain. The phone was silent from ${lastSeen}, and then far away`,
    notBefore: (lastSeen: Html): Html => html`Not known. The last location is from ${lastSeen}`,
    atLeast: (duration: Html): Html => html`${duration} at least`,
    older: "Older",
    newest: "The newest"
  }
}

/** The texts about files of location history: the list of files, the upload, and the columns of a table. */
export const imports = {
  title: "Imports",
  lead: "Files of where you were before your phone was connected. They go into your history only: no app gets a notification because of them.",
  add: "Import a file",
  reloads: (seconds: number): string =>
    `While a file is being read, this page reloads itself every ${seconds} seconds.`,
  none: "You have not imported anything yet.",
  all: "All imports",
  older: "Older",
  newest: "Newest",
  states: {
    asking: "Waits for you",
    waiting: "Waiting",
    running: "Being read",
    done: "Done",
    failed: "Failed",
    undoing: "Being undone"
  } satisfies Record<Import.ImportState, string>,
  formats: {
    gpx: "GPX",
    google_android: "Google Timeline of an Android phone",
    google_ios: "Google Timeline of an iPhone",
    google_takeout: "Google Takeout",
    google_monthly: "Google Takeout, monthly files",
    kml: "KML",
    geojson: "GeoJSON",
    owntracks: "OwnTracks",
    tcx: "TCX",
    fit: "FIT",
    csv: "Table (CSV)",
    own_archive: "Archive of this service"
  } satisfies Record<Import.ImportFormat, string>,
  uploaded: "Uploaded",
  kind: "Kind",
  /** The name of a file that was sent without a name. */
  nameless: "Imported file",
  stop: (file: Text): Html => html`Stop ${file}`,
  remove: (file: Text): Html => html`Remove ${file}`,
  kept: "Your history keeps what is stored.",
  progress: (percent: number): string => `${percent}% read`,
  speed: (entries: number, seconds: number): string =>
    `${plural(entries, "entry", "entries")} a second, about ${seconds < 90 ? plural(seconds, "second", "seconds") : plural(Math.ceil(seconds / 60), "minute", "minutes")} left`,
  undo: {
    summary: "Undo this import",
    text: "This deletes from your history what the file added, and the visits that were found in it. Locations that a phone or another file sent too stay. What apps learned before stays with them. You can import the file again.",
    button: (file: Text): Html => html`Undo the import of ${file}`,
    going: "What this file added is being deleted from your history."
  },
  months: {
    summary: "By month",
    month: "Month (UTC)",
    read: "Read",
    stored: "New",
    known: "Known",
    leftOut: "Left out",
    tooRecent: (entries: number): string => `${number(entries)} too recent`,
    tooOld: (entries: number): string => `${number(entries)} too old`,
    quarantined: (entries: number): string => `${number(entries)} not usable`,
    none: "Without a time",
    noneOrFurther: "Without a time, or of a month that has no row here"
  },
  columns: {
    title: "Which column is which?",
    lead: (file: Text): Html =>
      html`The first line of the table ${file} names its columns. Check which of them are read, then start.`,
    open: "Say which columns are read",
    nothing: "Not in the file",
    roles: {
      time: "Time",
      date: "Day, when the time has only hours",
      lat: "Latitude",
      lon: "Longitude",
      accuracy: "Accuracy in metres",
      altitude: "Altitude in metres",
      speed: "Speed in metres a second",
      course: "Direction in degrees"
    } satisfies Record<CsvColumns.ColumnRole, string>,
    choose: "choose a column",
    button: "Read the table"
  },
  leftOut: (names: ReadonlyArray<string>, more: number, most: number, mostArchived: number): string =>
    `Not added: ${names.map((name) => `“${name}”`).join(", ")}${more > 0 ? ` and ${number(more)} more` : ""}. An account has at most ${number(most)} places, and an import adds archived ones up to ${number(mostArchived)}.`,
  makeRoom: (places: string): Html =>
    html`To add them, archive <a href="${places}">places that you no longer need</a>, then import the file again.`,
  nothingUsable:
    "No entry of this file could be used: each needs a place, and a time since 2010 that can be read. In a table, write times like 2025-08-01 08:00 (in UTC).",
  entries: (count: number): string => plural(count, "entry", "entries"),
  counts: {
    read: "Read",
    stored: "New in your history",
    duplicates: "Known already",
    tooRecent: "Too recent",
    tooOld: "Too old",
    overLimit: "Left out",
    quarantined: "Not usable"
  },
  why: {
    tooRecent: "the last day before the upload is left to your phone",
    tooOld: "older than the history that you keep, or from a time that you deleted from it",
    overLimit: "places beyond the most that an account may have",
    quarantined: "without a time or a place, or with an impossible one"
  },
  upload: {
    file: "Files",
    one: "The file",
    hint: (most: string): string =>
      `GPX, KML, KMZ, GeoJSON, TCX, FIT, CSV, OwnTracks logs, the Timeline of an Android phone or an iPhone, a Google Takeout, or an archive that you downloaded from this service. Also packed as ZIP, TGZ or GZ. At most ${most} each.`,
    button: "Upload",
    choose: "choose at least one",
    several: (files: number): string =>
      `${plural(files, "file was", "files were")} uploaded and will be read. The others were not:`,
    asking: (list: string): Html =>
      html`A table waits for your answer: say in the <a href="${list}">list of imports</a> which of its columns are
        read.`,
    refused: (name: Text, reason: Html): Html => html`${name}: ${reason}`,
    cut: (most: number, last: Text): Html =>
      html`An upload takes at most ${number(most)} files, so the files after ${last} were left out. Choose them again.`,
    /** The texts of the page's script, which replaces each name in braces by a value. */
    script: {
      drop: "Or drop files and whole folders here.",
      going: "{done} of {all} files uploaded. Keep this page open.",
      waits:
        "Too many files wait to be read, or for your answer about their columns. The upload goes on by itself when one of them is finished. Keep this page open.",
      failed: "could not be uploaded",
      ended: "{done} of {all} files uploaded.",
      list: "See all imports"
    },
    tooLarge: (most: string): string => `must be at most ${most}`,
    tooLargeTogether: (most: string, together: string): string =>
      `must be at most ${most}, and all files of one upload together at most ${together}`,
    history: (days: number, settings: string): Html =>
      html`Your history is kept for ${number(days)} days, so whatever in the file is older is left out. To have it too,
        <a href="${settings}">choose how long your history is kept</a> first.`
  },
  sources: {
    heading: "Where such files come from",
    android: "Android",
    androidPath: "Settings → Location → Location services → Timeline → Export Timeline data",
    iphone: "iPhone",
    iphonePath: "Google Maps → your picture → Settings → Personal content → Export Timeline data",
    takeout: "Google Takeout",
    takeoutPath:
      "The ZIP or TGZ files as they come, each part of them. Only location files in them are read. A Takeout since 2024 has only a few positions: export the Timeline on your phone, as described above.",
    account: "Another account of this service",
    accountPath: "Settings → Take your data along. Places and locations come back; what apps can do does not.",
    gpx: "GPX",
    gpxPath: "Every program that records tracks can export them. Routes and waypoints are left out."
  }
}
