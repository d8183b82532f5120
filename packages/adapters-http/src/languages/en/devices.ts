import type { Device, QuarantineReason } from "@place-access/domain/devices"
import type { OwnPhone } from "@place-access/domain/timeline"
import { type Html, html } from "../../html/Html.js"
import { number, plural } from "./words.js"

const CLOCK = "Let the phone set its date and time automatically."

/**
 * The texts of the page about a person's devices: which devices send locations, whether each device works, and what to
 * do when it does not.
 */
export const devices = {
  title: "Devices",
  lead: "The phones that send your location. Without one, every app that asks gets the answer “unknown”.",
  none: "No phone sends your location yet. Add the first one below.",
  labels: { name: "Name", format: "The app on it" },
  add: {
    heading: "Add a device",
    which: "Which phone do you have?",
    kinds: { iphone: "iPhone", android: "Android phone", other: "Something else" },
    /** The names for a new device that the form proposes. */
    names: { iphone: "My iPhone", android: "My Android phone", other: "My device" },
    onlyBrowser: "Only this browser",
    nameHint: "So that you recognise it, such as “My phone”.",
    appHint: "All of them are free. The first suits most people.",
    button: "Add device",
    cannotBeAdded: (reason: Html): Html => html`cannot be added: ${reason}`
  },
  earlier: {
    heading: "Where you were before",
    text: "Files of recorders, sports watches, other trackers and Google Timeline can be added to your history.",
    button: "Import a file",
    soFar: "Imports so far"
  },
  /** Names of apps are the same in every language. */
  apps: {
    overland: { name: "Overland", description: "Also reports when you arrive and leave, which makes visits exact." },
    owntracks: {
      name: "OwnTracks",
      description: "Watches your places, sends when you move, and uses little battery."
    },
    traccar: {
      name: "Traccar Client",
      description: "Sends as you move, and every ten minutes when you don't."
    },
    osmand: { name: "OsmAnd", description: "A map. It sends only while you record a trip." },
    gpslogger: { name: "GPSLogger", description: "For people who like to adjust every detail." },
    browser: { name: "This browser", description: "Sends while its page is open." },
    json: { name: "Your own program", description: "Sends JSON, as the API describes it." }
  } satisfies Record<Device.PhoneFormat, { readonly name: string; readonly description: string }>,
  card: {
    app: "App",
    lastSeen: "Last seen",
    never: "Never",
    seen: (ago: Html, at: Html): Html => html`${ago} (${at})`,
    accuracy: "Accuracy",
    added: "Added",
    remove: (device: string): string => `Remove ${device}`,
    removeText: "Its token stops working at once. Your history keeps what it sent. To undo this, add the device again."
  },
  home: {
    stays: (device: string): string => `${device} stays at home`,
    question: (device: string): string => `Does ${device} stay at home?`,
    staysText: "As long as another device sends your location, apps ignore where this one is.",
    questionText:
      "For a tablet or an old phone that you do not carry with you. As long as another device sends your location, apps ignore where this one is.",
    carry: "I carry it with me",
    yes: "It stays at home"
  },
  arrival: {
    waiting: "Waiting for the first location…",
    waitingText: "This takes a minute or two after you have allowed the location.",
    lookAgain: "Look again",
    received: "Received.",
    receivedWithin: (metres: number): string => `Received, ±${number(metres)} m.`,
    last: (ago: Html): Html => html`The last location came ${ago}.`
  },
  states: { fresh: "Sending", late: "Late", silent: "Silent", never: "Sent nothing yet" } satisfies Record<
    OwnPhone["silence"],
    string
  >,
  putAside: {
    heading: "What we could not use",
    readings: (count: number, last: Html): Html => html`${plural(count, "reading", "readings")}, the last one ${last}.`
  },
  /**
   * Why readings were quarantined. `status`: the status of a phone whose last upload had only quarantined readings.
   * `explanation`: the problem, and what the owner can do about it; the API returns this text, too.
   */
  quarantine: {
    unreadable: {
      status: "Sends what we cannot read",
      explanation: "We could not read the time or the position. Check the settings of the app that sends them."
    },
    out_of_range: {
      status: "Sends impossible positions",
      explanation: "The latitude or the longitude was outside the possible range."
    },
    null_island: {
      status: "Sends no position",
      explanation: "The position was 0° north, 0° east: the phone did not know where it was."
    },
    future: {
      status: "Its clock is wrong",
      explanation: `The phone said a time more than 5 minutes ahead of ours. ${CLOCK}`
    },
    too_old: { status: "Its clock is wrong", explanation: `The phone said a time before 2010. ${CLOCK}` },
    no_stay: {
      status: "Sends impossible visits",
      explanation: "A visit had no time, or it ended before it began."
    },
    not_kept: {
      status: "Sends what you do not keep",
      explanation:
        "It was older than you want your history kept, or from a time that you deleted, so we did not store it."
    }
  } satisfies Record<QuarantineReason, { readonly status: string; readonly explanation: string }>,
  /** The texts about how often the phone has sent in the last 24 hours. */
  sending: {
    heading: "The last 24 hours",
    byHour: "Locations by hour, late ones in red",
    hour: "Hour",
    readings: "Locations",
    late: "Late",
    nothing: "It captured nothing in this time.",
    nothingLeft: "Your history has nothing of this time, of which you deleted a part.",
    summed: (readings: number): Html => html`${plural(readings, "location", "locations")} in 24 hours.`,
    noneLate: (readings: number): string =>
      `${readings === 1 ? "It" : "All of them"} came within 15 minutes, in time for rules.`,
    someLate: (late: number): Html =>
      html`${plural(late, "came", "came")} more than 15 minutes after the phone was there: no rule fires for
      ${late === 1 ? "it" : "these"}.`,
    noSilence: "It was never silent for 15 minutes.",
    erased: "This leaves out the silences around a time whose history you deleted.",
    silences: (times: number, longest: Html, from: Html): Html =>
      html`It was silent for 15 minutes or more ${plural(times, "time", "times")}, the longest time for ${longest} from
      ${from} on. While it is silent, apps read “unknown”, and a rule that waits for a stay fires late.`,
    advice: "What you can change",
    muchAdvice:
      "It sends more often than rules need, which empties its battery. A location every minute is enough on the way.",
    lateAdvice: {
      overland:
        "Move the slider on Overland's first page to 5 minutes or less, and switch “Defers Location Updates” off.",
      owntracks:
        "On Android, let OwnTracks run without battery limits. Without a network, locations wait on the phone.",
      traccar:
        "On Android, let Traccar Client run without battery limits. Without a network, locations wait on the phone.",
      osmand: "OsmAnd keeps locations while it has no network, and sends them later.",
      gpslogger: "Let GPSLogger run without battery limits. Without a network, locations wait on the phone.",
      browser: "Leave the page open: its locations wait while it is closed.",
      json: "Let your program upload each location within 15 minutes."
    } satisfies Record<Device.PhoneFormat, string>,
    sleepAdvice: {
      overland:
        "In Overland's settings, switch “Pause Updates Automatically” off. This costs battery. Or set “Resume with Geofence” to 100 m: arrivals then come soon, and the phone is silent only while you stay.",
      owntracks:
        "On Android, set “ping” to 15 in the configuration, and let OwnTracks run without battery limits. An iPhone with OwnTracks sleeps until it moves: Overland or Traccar Client can keep it awake.",
      traccar: "Set “Stationary heartbeat” to 600. With 0, Traccar Client sends nothing while the phone lies still.",
      osmand: "OsmAnd sends only while it records a trip. For rules, use OwnTracks or Traccar Client.",
      gpslogger: "Set the distance filter to 0 and the accuracy filter to 100, and let it run without battery limits.",
      browser: "It sends only while its page is open.",
      json: "Let your program send a location at least every 10 minutes, also when nothing moved."
    } satisfies Record<Device.PhoneFormat, string>
  },
  /** The titles of the troubles: what may be wrong with a phone. */
  troubles: {
    neverArrived: "Nothing has arrived yet",
    wentSilent: "It has stopped sending",
    imprecise: "Its locations are inexact",
    address: (address: string): string =>
      `Address: the app must have exactly ${address}, and the token that was shown with it.`,
    network: "Network: phones reach this address only from your own network, and not over mobile data.",
    openOnce: "Open the app once. Most apps then send what they have kept.",
    thickWalls: "Inside thick walls phones know no better. Wait until the phone is near a window.",
    permission: {
      iphone: "Permission, iPhone: in Settings, under Privacy, Location Services, the app must have “Always”.",
      android:
        "Permission, Android: in the settings of the app, under Permissions, Location must be “Allow all the time”."
    },
    precise: {
      iphone: "iPhone: in Settings, under Privacy, Location Services, switch “Precise Location” on for the app.",
      android: "Android: in the settings of the app, under Permissions, Location, switch precise location on."
    },
    battery: {
      iphone: "Battery, iPhone: Low Power Mode stops apps in the background. So does closing the app by a swipe.",
      android:
        "Battery, Android: in the settings of the app, set the battery use to “Unrestricted”. Battery savers stop the app."
    },
    /** For each app, the setting or action that people often forget and without which the app sends nothing. */
    switchedOn: {
      overland: "Overland's tracking must be on.",
      owntracks: "OwnTracks's monitoring must not be “Quiet” or “Manual”, and its mode must be HTTP.",
      traccar: "Traccar Client's continuous tracking must be on.",
      osmand: "OsmAnd sends only while it records a trip, with online tracking on.",
      gpslogger: "GPSLogger must be logging, with “Log to custom URL” on.",
      browser: "The page “Share from this browser” must be open, and the browser must allow it the location.",
      json: "Look at the status of your program's last request. 401 means that the token is wrong."
    } satisfies Record<Device.PhoneFormat, string>
  }
}
