import { Effect, Layer } from "effect"
import { HttpOptions, type ServiceOptions } from "../HttpOptions.js"
import * as ChangeAddress from "./address/changeAddress.js"
import * as ConfirmSignUp from "./address/confirmSignUp.js"
import * as SignUp from "./address/signUp.js"
import * as UndoAddress from "./address/undoAddress.js"
import * as Unlock from "./address/unlock.js"
import * as AdminAccounts from "./admin/accounts.js"
import * as AppLogo from "./appLogo.js"
import * as AdminApps from "./admin/apps.js"
import * as AuditLog from "./admin/audit.js"
import * as AdminService from "./admin/service.js"
import * as Confirm from "./confirm.js"
import * as Authorize from "./consent/authorize.js"
import * as Mailbox from "./dev/mailbox.js"
import * as AppCalls from "./developer/calls.js"
import * as DeveloperApp from "./developer/app.js"
import * as DeveloperLogo from "./developer/logo.js"
import * as DeveloperSecrets from "./developer/secrets.js"
import * as DeveloperApps from "./developer/apps.js"
import * as Invitations from "./developer/invitations.js"
import * as DeveloperTeam from "./developer/team.js"
import * as DeveloperPurposes from "./developer/purposes.js"
import * as GrantRules from "./developer/grantRules.js"
import * as Deliveries from "./webhooks/deliveries.js"
import * as DeveloperDelivery from "./webhooks/delivery.js"
import * as TestPeople from "./developer/testPeople.js"
import * as Users from "./developer/users.js"
import * as DeveloperWebhook from "./webhooks/webhook.js"
import * as EndpointButtons from "./webhooks/endpointButtons.js"
import * as Webhooks from "./webhooks/webhooks.js"
import * as Docs from "./docs/index.js"
import * as AddPasskey from "./factors/addPasskey.js"
import * as CodeApp from "./factors/codeApp.js"
import * as SecondFactor from "./factors/settings.js"
import * as SecondStep from "./factors/secondStep.js"
import * as SignInPasskey from "./factors/signInPasskey.js"
import * as Home from "./home.js"
import * as Assets from "./kit/Assets.js"
import * as Routes from "./kit/Routes.js"
import * as Shortcuts from "./kit/Shortcuts.js"
import * as AccessLog from "./portal/accessLog.js"
import * as Connection from "./portal/connection.js"
import * as Connections from "./portal/connections.js"
import * as Addresses from "./steering/addresses.js"
import * as ConsentHistory from "./steering/consentHistory.js"
import * as Steer from "./steering/steer.js"
import * as Devices from "./devices/devices.js"
import * as Share from "./devices/share.js"
import * as SetUpLink from "./devices/setUpLink.js"
import * as ChangePassword from "./portal/changePassword.js"
import * as DeleteAccount from "./portal/deleteAccount.js"
import * as Sessions from "./portal/sessions.js"
import * as Settings from "./portal/settings.js"
import * as Exports from "./portal/exports.js"
import * as Imports from "./portal/imports.js"
import * as Places from "./portal/places.js"
import * as PortalRule from "./portal/rule.js"
import * as ReviewDecision from "./review/decision.js"
import * as ReviewPreview from "./review/preview.js"
import * as ReviewQueue from "./review/queue.js"
import * as ResetPassword from "./resetPassword.js"
import * as TimelineDay from "./timeline/day.js"
import * as TimelineErase from "./timeline/erase.js"
import * as TimelineVisits from "./timeline/visits.js"
import * as LanguagePage from "./settings/language.js"
import * as NamePage from "./settings/name.js"
import * as NoticeChoice from "./settings/notices.js"
import * as TimeZonePage from "./settings/timeZone.js"
import * as SignIn from "./signIn.js"
import * as WellKnown from "./wellKnown.js"

/**
 * The routes of all pages and forms. The paths of the consent pages and of the portal's pages depend on `authUrl` and
 * `userPortalUrl`.
 */
export const routes = (options: ServiceOptions) => [
  ...Home.routes,
  ...AppLogo.routes,
  ...Docs.routes(options),
  ...SignIn.routes,
  ...SignUp.routes,
  ...ConfirmSignUp.routes,
  ...UndoAddress.routes,
  ...Unlock.routes,
  ...SecondStep.routes,
  ...SignInPasskey.routes,
  ...Confirm.routes,
  ...ResetPassword.routes,
  ...Authorize.routes(options),
  ...TimelineDay.routes(options),
  ...TimelineErase.routes(options),
  ...TimelineVisits.routes(options),
  ...Connections.routes(options),
  ...Connection.routes(options),
  ...Addresses.routes(options),
  ...Steer.routes(options),
  ...ConsentHistory.routes(options),
  ...PortalRule.routes(options),
  ...Places.routes(options),
  ...Share.routes(options),
  ...Devices.routes(options),
  ...SetUpLink.routes,
  ...Imports.routes(options),
  ...AccessLog.routes(options),
  ...Settings.routes(options),
  ...NamePage.routes(options),
  ...TimeZonePage.routes(options),
  ...LanguagePage.routes(options),
  ...NoticeChoice.routes(options),
  ...Exports.routes(options),
  ...SecondFactor.routes(options),
  ...AddPasskey.routes(options),
  ...CodeApp.routes(options),
  ...Sessions.routes(options),
  ...ChangeAddress.routes(options),
  ...ChangePassword.routes(options),
  ...DeleteAccount.routes(options),
  ...AdminService.routes,
  ...AdminAccounts.routes,
  ...AuditLog.routes,
  ...DeveloperApps.routes,
  ...AppCalls.routes,
  ...DeveloperApp.routes,
  ...DeveloperLogo.routes,
  ...DeveloperSecrets.routes,
  ...DeveloperPurposes.routes,
  ...DeveloperTeam.routes,
  ...Invitations.routes,
  ...Users.routes,
  ...TestPeople.routes,
  ...GrantRules.routes,
  ...Webhooks.routes,
  ...DeveloperWebhook.routes,
  ...EndpointButtons.routes,
  ...Deliveries.routes,
  ...DeveloperDelivery.routes,
  ...ReviewQueue.routes,
  ...ReviewDecision.routes,
  ...ReviewPreview.routes,
  ...AdminApps.routes,
  ...Mailbox.routes(options)
]

export const layer = Layer.unwrapEffect(
  Effect.map(HttpOptions, (options) => {
    const pages = routes(options)
    return Layer.mergeAll(
      Routes.pages(pages),
      Routes.layer(Shortcuts.routes(pages)),
      Routes.layer(Assets.routes),
      Routes.layer(WellKnown.routes(options))
    )
  })
)
