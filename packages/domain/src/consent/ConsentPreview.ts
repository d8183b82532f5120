// The consent page of an app as a reviewer reads it before users do (decision reviews-7).
import { Option } from "effect"
import type { App } from "../apps/App.js"
import * as AppProposal from "../apps/AppProposal.js"
import * as RedirectUri from "../apps/RedirectUri.js"
import * as Place from "../places/Place.js"
import type { Purpose } from "../purposes/Purpose.js"
import { ConsentRequestId, PlaceId, type Scope, type Timestamp, UserId } from "../shared/index.js"
import { Challenge } from "../tokens/Pkce.js"
import * as AuthorizeRequest from "./AuthorizeRequest.js"
import { ConsentRequestState } from "./ConsentRequest.js"
import * as ConsentReview from "./ConsentReview.js"

/**
 * `in_force`: the app as users see it now. `proposed`: the app as users will see it when a reviewer approves its
 * changes.
 */
export type Version = "in_force" | "proposed"

export interface ConsentPreview {
  readonly review: ConsentReview.ConsentReview
  /**
   * The declared scopes that the page does not show, because an admin has taken them away from the app, or because they
   * are sensitive and no purpose that the app may use covers them.
   */
  readonly hidden: ReadonlyArray<Scope.Scope>
  /** The origins of all redirect URIs of the app. The page shows only the origin of the first redirect URI. */
  readonly origins: ReadonlyArray<string>
}

/** The given version of the app, but with the status `production`, because only then every user can connect the app. */
const versionOf = (app: App, version: Version): App => ({
  ...(version === "proposed" ? AppProposal.putInForce(app, AppProposal.wanted(app)) : app),
  status: "production"
})

/** The version that a reviewer reads first: the proposed one, unless a production app has no proposal. */
export const firstVersion = (app: App): Version =>
  app.proposal === null && app.status === "production" ? "in_force" : "proposed"

/**
 * The consent page as it looks for a user who has two places and never connected the app. The app asks for every scope
 * that it may ask for. None when the app has no redirect URI, because then it cannot ask for consent yet.
 */
export const of = (
  app: App,
  version: Version,
  developerName: string,
  purposes: ReadonlyArray<Purpose>,
  now: Timestamp.Timestamp
): Option.Option<ConsentPreview> => {
  const shown = versionOf(app, version)
  const [redirectUri] = shown.redirectUris
  if (redirectUri === undefined) return Option.none()
  const isAvailable = (scope: Scope.Scope) => AuthorizeRequest.unavailable([scope], shown, purposes) === undefined
  const request = {
    id: ConsentRequestId.make("preview"),
    appId: app.id,
    redirectUri,
    scopes: shown.declaredScopes.filter(isAvailable),
    challenge: Challenge.make("preview".padEnd(43, "_")),
    state: ConsentRequestState.make("a preview"),
    externalUserId: null,
    answersIssuer: false,
    createdAt: now,
    decided: null
  }
  const review = ConsentReview.of(
    {
      request,
      app: shown,
      developerName,
      purposes,
      places: PLACES.map(([id, label, kind]) =>
        Place.make(SOMEBODY, PlaceId.make(id), { label: Place.Label.make(label), kind, circle: NOWHERE }, now)
      ),
      existing: undefined,
      phoneHasSent: true,
      uses: null
    },
    now
  )
  return Option.some({
    review,
    hidden: shown.declaredScopes.filter((scope) => !isAvailable(scope)),
    origins: [...new Set(shown.redirectUris.map(RedirectUri.origin))]
  })
}

const SOMEBODY = UserId.make("preview")
const NOWHERE = { lat: 0, lon: 0, radiusM: 150 }
const PLACES = [
  ["preview-home", "Home", "home"],
  ["preview-work", "Work", "work"]
] as const
