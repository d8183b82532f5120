import type { Device } from "@place-access/domain/devices"
import { type Html, html } from "../../html/Html.js"

type Steps = (address: string) => ReadonlyArray<string>

/** The texts of the instructions for setting up a phone or a browser so that it sends its location. */
export const setUp = {
  title: (device: string): string => `Set up ${device}`,
  howTo: (device: string): string => `How to set up ${device}`,
  address: "Address",
  token: "Token",
  tokenGone:
    "The token and its QR code were shown once. If you have lost them, add the phone again and remove this one.",
  shownOnce: html`<strong>This is shown once.</strong> Set the phone up now, or keep the token in a safe place. Anybody
    who has it can send locations as you.`,
  outOfReach: html`<strong>A phone cannot reach this address</strong>: localhost is this computer alone. Start the
    service with an address of your network as <code>BASE_URL</code> and with <code>HOST=0.0.0.0</code>, then add the
    phone again.`,
  browserInstead: (share: string): Html =>
    html`To try the service without a phone, <a href="${share}">share from this browser</a>.`,
  stepByStep: (app: Html): Html => html`${app}, step by step`,
  qrLink: "QR code. It holds a link that opens the app with everything filled in.",
  qrText: "QR code. It holds the settings below as text.",
  isThisThePhone: "Is this the phone?",
  openIn: (app: Html): Html => html`Open in ${app}`,
  fillIn: "What to fill in",
  orByHand: "Or fill it in by hand",
  tryIt: "Try it from a terminal",
  theCommand: "the command",
  answerIs: (answer: string): Html => html`The answer is <code>${answer}</code>.`,
  done: "I have set it up",
  /**
   * What to do on the phone, in order. `address`: the address to which the phone sends. The API returns these steps,
   * too.
   */
  steps: {
    overland: () => [
      "Install Overland from the App Store on the iPhone.",
      "Open Overland once, and leave it open. Overland takes settings over only while it runs.",
      "Point the iPhone's camera at the QR code, or open the link on the iPhone: Overland takes the settings over.",
      "In Overland, allow the location always, and switch tracking on.",
      "Leave “Logging Mode” on “All Data”. Overland's own visits are switched on once an app may read your visits."
    ],
    owntracks: () => [
      "Install OwnTracks on the iPhone or Android phone, and start it once.",
      "Point the phone's camera at the QR code, or open the link on the phone, and accept the new configuration.",
      "Allow the location always. On Android, also let OwnTracks run without battery limits.",
      "Leave the monitoring on “Significant”. The app then notices when you arrive at your places and leave them.",
      "Leave the encryption key empty: what is encrypted in the app can't be read here. HTTPS protects it on its way."
    ],
    traccar: () => [
      "Install Traccar Client on the iPhone or Android phone, and start it once.",
      "In its settings, scan the QR code. On the phone itself, open the link instead.",
      "Allow the location always. On Android, also let Traccar Client run without battery limits.",
      "Leave offline buffering on, and switch continuous tracking on."
    ],
    osmand: () => [
      "Install OsmAnd, and switch its plugin “Trip recording” on.",
      "In the settings of the plugin, switch online tracking on.",
      "Copy the web address into it. The QR code holds the same text.",
      "Record a trip: OsmAnd sends your location only while it records one."
    ],
    gpslogger: () => [
      "Install GPSLogger on the Android phone, from F-Droid or its site.",
      "Within 15 minutes, scan the QR code and press “Load into GPSLogger” on the page that it opens.",
      "That works once. Otherwise, under “Logging details”, switch “Log to custom URL” on and fill in the fields below.",
      "Allow the location all the time, let GPSLogger run without battery limits, and start logging."
    ],
    browser: () => [
      "Open “Share from this browser” on the page Devices, in the browser that you added.",
      "Press Start, and allow the location.",
      "Leave the page open. It sends your location only while it is open."
    ],
    json: (address) => [
      "Open your app's upload settings, or scan the QR code with it.",
      `Send locations as JSON with POST to ${address}.`,
      "Send the header Authorization: Bearer followed by a space and the token. It is shown only once.",
      "When an upload fails, send it again later: nothing is stored twice."
    ]
  } satisfies Record<Device.PhoneFormat, Steps> as Readonly<Record<Device.PhoneFormat, Steps>>,
  /** The value that the page shows for a setting which must be switched off. */
  off: "Off",
  tuningHeading: "How often it sends, and what that costs",
  tuningLead:
    "A rule notices an arrival with the first location after it. With these settings that location comes soon, and is exact enough for a place of 150 m.",
  /**
   * What a setting of an app is good for, and what it costs in battery. The page shows the setting's name and value
   * before this text.
   */
  tuning: {
    overland: {
      pauses:
        "The iPhone goes on sending while it lies still. This costs the most battery of all settings. To spare it, switch pausing on and set “Resume with Geofence” to 100 m: arrivals stay exact, but apps read “unknown” while you stay.",
      accuracy: "Exact enough for a place of 150 m. “Best” keeps the GPS on all the time.",
      defers: "Deferred locations come late. No rule fires for a location that comes more than 15 minutes late.",
      slider: "The slider on the first page",
      interval: "Overland sends at this interval. A longer one spares some battery, and makes rules late by as much."
    },
    owntracks: {
      monitoring: "Uses little battery. “Move” is more exact on the way, and empties the battery in a day.",
      ping: "Minutes between two locations of an Android phone that lies still. It costs little, and Android allows no less. An iPhone that lies still sends nothing until it moves.",
      distance: "Android sends after so many metres. The app's own 500 m would pass by a place of 150 m.",
      interval: "Android looks for the location every so many seconds. A shorter time costs more battery."
    },
    traccar: {
      accuracy: "Uses the GPS while you move, which costs battery. “Medium” misses a place of 150 m.",
      distance: "Metres between two locations on the way. A shorter distance costs more battery and gains little.",
      heartbeat:
        "Seconds between two locations of a phone that lies still. It costs some battery. With 0, apps read “unknown” after 15 minutes."
    },
    osmand: {
      interval: "OsmAnd keeps the GPS on for the whole recording, which costs much battery, whatever the interval is."
    },
    gpslogger: {
      interval:
        "Seconds between two locations. The GPS is switched on for each of them: twice the time takes half the battery.",
      distance: "With a filter, a phone that lies still sends nothing, and apps read “unknown” after 15 minutes.",
      accuracy: "Metres. Less exact locations are dropped. With 40, a phone indoors often sends nothing.",
      bootup: "The phone goes on sending after a restart. It costs nothing."
    },
    json: {
      heartbeatName: "Heartbeat",
      heartbeat: "Send a location at least every 10 minutes, also when nothing moved. It costs some battery.",
      distanceName: "Distance",
      distance: "Send a location after 50 m on the way.",
      accuracyName: "Accuracy",
      accuracy: "Or better: a less exact location changes nothing at a place of 150 m. More exact ones cost battery.",
      uploadName: "Upload",
      upload: "Upload a location within 15 minutes. Later ones go into the history, and fire no rule."
    }
  },
  /**
   * The texts of the script of the set-up pages. The script replaces `{name}` by the name of the copied text. The names
   * with `Named` are accessible names: each begins with the text that the button shows.
   */
  copyScript: {
    copy: "Copy",
    copyNamed: "Copy {name}",
    copied: "Copied",
    copiedNamed: "Copied {name}",
    byHand: "Select it by hand",
    byHandNamed: "Select it by hand {name}",
    signedOut: "You are signed out, so this page does not look for locations.",
    gone: "This device was removed, or another account is signed in. So this page does not look for locations.",
    signIn: "Sign in"
  },
  gpsLogger: {
    title: "Set up GPSLogger",
    lead: "GPSLogger must be installed on this phone before you press the button.",
    button: "Load into GPSLogger",
    once: "The button works once, and for 15 minutes after you added the device. If GPSLogger shows nothing new, add the device again.",
    thenAllow: "Then allow the location all the time, and start logging."
  },
  share: {
    title: "Share from this browser",
    lead: "Without an app: this browser sends where you are for as long as this page is open. It is good for a try. A phone's app also sends while its screen is off.",
    noScript: "A browser tells its location to a script only, and scripts are off here.",
    appInstead: "Add a phone's app instead",
    label: "Sharing",
    start: "Start",
    stop: "Stop",
    forget: "Forget this browser",
    sent: "Sent",
    whatHappens: "What happens",
    happens: {
      start: "Start adds this browser to your devices. Its token stays in this browser, and can only send.",
      offline:
        "Without a network the locations wait in this browser, at most 720 of them. If you close the page, they are sent when you press Start again.",
      stop: "Stop ends it at once, and deletes the locations that still wait. Closing the page ends it too. Forget removes the device and its token.",
      others: "On a computer that others use, press “Forget this browser” before you leave.",
      install: "You can install this page: in the menu of the browser, choose “Install” or “Add to home screen”."
    },
    /** The name of the page when it is installed as an app. */
    installedName: "Place Access: share from this browser",
    nothingIsSent: "Nothing is sent.",
    /** The page's script replaces each name in braces by a value. */
    script: {
      notSecure: "This browser says where it is on secure pages (https) only.",
      waitsOne: "1 location is not sent yet.",
      waits: "{count} locations are not sent yet.",
      row: "{time}, ±{metres} m",
      sharing: "Sharing. Keep this page open.",
      removed: "This browser was removed from your devices. Nothing is sent. To share again, press Start.",
      offline: "Offline. The locations wait in this browser.",
      notAllowed:
        "Your browser is not allowed to say where you are. Allow the location for this page, then press Start.",
      notFound: "Your browser does not know where you are. It tries again.",
      signedOut: "You are signed out. Load this page again.",
      tooManyDevices:
        "You have as many devices as an account can have. Remove one on the page Devices, then press Start.",
      cannotBeAdded: "This browser could not be added. Try again in some minutes.",
      looking: "Looking for where you are…",
      tryAgain: "Offline. Try again when this browser is online.",
      stopped: "Stopped. Nothing is sent.",
      forgotten: "Forgotten. This browser can send nothing any more.",
      notRemoved: "This browser could not be removed. Try again, or remove it on the page Devices."
    }
  }
}
