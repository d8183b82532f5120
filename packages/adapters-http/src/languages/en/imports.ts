import type { CsvColumns, Import } from "@place-access/domain/imports"
import { type Html, html } from "../../html/Html.js"
import { number, plural } from "./words.js"

/** Files of location history: the list, the upload, and the columns of a table. */
export const imports = {
  title: "Imports",
  lead: "Files of where you were before your phone was connected. They go into your history only: no app gets a notification because of them.",
  add: "Import a file",
  reloads: (seconds: number): string =>
    `While a file is being read, this page reloads itself every ${seconds} seconds.`,
  none: "You have not imported anything yet.",
  all: "All imports",
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
  stop: (file: string): string => `Stop ${file}`,
  remove: (file: string): string => `Remove ${file}`,
  kept: "Your history keeps what is stored.",
  progress: (percent: number): string => `${percent} % read`,
  speed: (entries: number, seconds: number): string =>
    `${plural(entries, "entry", "entries")} a second, about ${seconds < 90 ? plural(seconds, "second", "seconds") : plural(Math.ceil(seconds / 60), "minute", "minutes")} left`,
  undo: {
    summary: "Undo this import",
    text: "This deletes from your history what the file added, and the visits that were found in it. Locations that a phone or another file sent too stay. What apps learned before stays with them. You can import the file again.",
    button: (file: string): string => `Undo the import of ${file}`,
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
    none: "Without a time"
  },
  columns: {
    title: "Which column is which?",
    lead: (file: string): string =>
      `The first line of the table ${file} names its columns. Check which of them are read, then start.`,
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
    } satisfies Record<CsvColumns.Role, string>,
    choose: "choose a column",
    button: "Read the table"
  },
  leftOut: (names: ReadonlyArray<string>, more: number, most: number, mostArchived: number): string =>
    `Not added: ${names.map((name) => `“${name}”`).join(", ")}${more > 0 ? ` and ${number(more)} more` : ""}. An account has at most ${number(most)} places, and an import adds archived ones up to ${number(mostArchived)}.`,
  makeRoom: (places: string): Html =>
    html`To add them, archive <a href="${places}">places that you no longer need</a>, then import the file again.`,
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
    tooOld: "older than the history that you keep",
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
    refused: (name: string, reason: Html): Html => html`${name}: ${reason}`,
    /** Of the script: \`{…}\` is filled in by it. */
    script: {
      drop: "Or drop files and whole folders here.",
      going: "{done} of {all} files uploaded. Keep this page open.",
      waits: "Too many files wait to be read. The upload goes on by itself.",
      failed: "could not be uploaded",
      ended: "{done} of {all} files uploaded.",
      list: "See all imports"
    },
    tooLarge: (most: string): string => `must be at most ${most}`,
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
    takeoutPath: "The ZIP or TGZ files as they come, each part of them. Only location files in them are read.",
    account: "Another account of this service",
    accountPath: "Settings → Take your data along. Places and locations come back; what apps can do does not.",
    gpx: "GPX",
    gpxPath: "Every program that records tracks can export them. Routes and waypoints are left out."
  }
}
