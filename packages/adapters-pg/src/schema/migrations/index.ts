/**
 * All changes of the schema, in the order in which databases apply them. A file that was released never changes: a
 * later change of the same table is a new file with a greater number. `Migrator` applies the migrations that a database
 * lacks. docs/database.md says how to write one.
 */
import * as ground from "./0001_accounts_and_apps.js"
import * as connections from "./0002_connections.js"
import * as places from "./0003_places_and_fixes.js"
import * as rules from "./0004_rules_and_events.js"
import * as deliveries from "./0005_deliveries.js"
import * as accessLog from "./0006_access_log.js"
import * as reviews from "./0007_reviews.js"
import * as accessLogByApp from "./0008_access_log_by_app.js"
import * as tiers from "./0009_tiers_and_mail.js"
import * as volumeFlags from "./0010_volume_flags.js"
import * as stays from "./0011_shapes_and_stays.js"
import * as imports from "./0012_imports.js"
import * as limits from "./0013_limits.js"
import * as retention from "./0015_retention.js"
import * as rulesSince from "./0016_rules_since.js"
import * as ruleEvaluations from "./0017_rule_evaluations.js"
import * as replays from "./0018_replays.js"
import * as legacy from "./0019_legacy.js"
import * as historyEnds from "./0020_history_ends.js"
import * as strikeWarnings from "./0021_strike_warnings.js"
import * as listeners from "./0022_listeners.js"
import * as lapses from "./0023_lapses.js"
import * as appProposals from "./0024_app_proposals.js"
import * as replayMarks from "./0025_replay_marks.js"
import * as keyCanaries from "./0026_key_canaries.js"
import * as keptForEver from "./0027_kept_for_ever.js"
import * as idempotentAnswers from "./0028_idempotent_answers.js"
import * as putAside from "./0029_put_aside.js"
import * as codeExchanges from "./0030_code_exchanges.js"
import * as staysBesideVisits from "./0031_stays_beside_visits.js"
import * as zoneQuestions from "./0032_zone_questions.js"
import * as leftBehind from "./0033_left_behind.js"
import * as namedMail from "./0034_named_mail.js"
import * as movements from "./0035_movements.js"
import * as leases from "./0036_leases.js"
import * as accountLinks from "./0037_account_links.js"
import * as claimOrder from "./0040_claim_order.js"
import * as sessionDetails from "./0041_session_details.js"
import * as confirmedAddresses from "./0042_confirmed_addresses.js"
import * as knownBrowsers from "./0043_known_browsers.js"
import * as confirmedSessions from "./0045_confirmed_sessions.js"
import * as secondFactors from "./0046_second_factors.js"
import * as passkeyChallenges from "./0047_passkey_challenges.js"
import * as auditEvents from "./0048_audit_events.js"
import * as suspensions from "./0049_suspensions.js"
import * as exports from "./0051_exports.js"
import * as appLogos from "./0053_app_logos.js"
import * as accessLogTimes from "./0054_access_log_times.js"
import * as placesLeftOut from "./0056_places_left_out.js"
import * as steering from "./0058_steering.js"
import * as timeZones from "./0061_time_zones.js"
import * as erasures from "./0062_erasures.js"
import * as noticeChoices from "./0063_notice_choices.js"
import * as setupLinks from "./0064_setup_links.js"
import * as languages from "./0065_languages.js"
import * as fixCounts from "./0066_fix_counts.js"
import * as testPeople from "./0067_test_people.js"
import * as figures from "./0070_figures.js"
import * as attemptExchanges from "./0071_attempt_exchanges.js"
import * as endpointHeaders from "./0072_endpoint_headers.js"
import * as appTeams from "./0073_app_teams.js"
import * as importDetails from "./0079_import_details.js"
import * as importSenders from "./0080_import_senders.js"
import * as settling from "./0082_settling.js"
import * as silentStays from "./0083_silent_stays.js"
import * as silence from "./0086_silence.js"
import * as outboxOrder from "./0087_outbox_order.js"
import * as visitsTold from "./0088_visits_told.js"
import * as liveTokens from "./0089_live_tokens.js"
import * as orphanBackfills from "./0090_orphan_backfills.js"
import * as ownFaults from "./0091_own_faults.js"
import * as pastSuspensions from "./0092_past_suspensions.js"
import * as earlierVisitsAgreed from "./0093_earlier_visits_agreed.js"
import * as accountReads from "./0094_account_reads.js"
import * as importedDevices from "./0095_imported_devices.js"
import * as importedErasures from "./0096_imported_erasures.js"
import * as devicesVisited from "./0097_devices_visited.js"
import * as failedDeliveries from "./0098_failed_deliveries.js"
import * as flaggedConnections from "./0099_flagged_connections.js"
import * as wrongCodes from "./0100_wrong_codes.js"
import * as quarantineTimes from "./0101_quarantine_times.js"

/**
 * The migrations in the order in which they are applied. A new id must be greater than every released id, because a
 * migration with a smaller id never runs.
 */
export const migrations: Readonly<Record<string, ReadonlyArray<string>>> = {
  "0001_accounts_and_apps": ground.statements,
  "0002_connections": connections.statements,
  "0003_places_and_fixes": places.statements,
  "0004_rules_and_events": rules.statements,
  "0005_deliveries": deliveries.statements,
  "0006_access_log": accessLog.statements,
  "0007_reviews": reviews.statements,
  "0008_access_log_by_app": accessLogByApp.statements,
  "0009_tiers_and_mail": tiers.statements,
  "0010_volume_flags": volumeFlags.statements,
  "0011_shapes_and_stays": stays.statements,
  "0012_imports": imports.statements,
  "0013_limits": limits.statements,
  "0015_retention": retention.statements,
  "0016_rules_since": rulesSince.statements,
  "0017_rule_evaluations": ruleEvaluations.statements,
  "0018_replays": replays.statements,
  "0019_legacy": legacy.statements,
  "0020_history_ends": historyEnds.statements,
  "0021_strike_warnings": strikeWarnings.statements,
  "0022_listeners": listeners.statements,
  "0023_lapses": lapses.statements,
  "0024_app_proposals": appProposals.statements,
  "0025_replay_marks": replayMarks.statements,
  "0026_key_canaries": keyCanaries.statements,
  "0027_kept_for_ever": keptForEver.statements,
  "0028_idempotent_answers": idempotentAnswers.statements,
  "0029_put_aside": putAside.statements,
  "0030_code_exchanges": codeExchanges.statements,
  "0031_stays_beside_visits": staysBesideVisits.statements,
  "0032_zone_questions": zoneQuestions.statements,
  "0033_left_behind": leftBehind.statements,
  "0034_named_mail": namedMail.statements,
  "0035_movements": movements.statements,
  "0036_leases": leases.statements,
  "0037_account_links": accountLinks.statements,
  "0040_claim_order": claimOrder.statements,
  "0041_session_details": sessionDetails.statements,
  "0042_confirmed_addresses": confirmedAddresses.statements,
  "0043_known_browsers": knownBrowsers.statements,
  "0045_confirmed_sessions": confirmedSessions.statements,
  "0046_second_factors": secondFactors.statements,
  "0047_passkey_challenges": passkeyChallenges.statements,
  "0048_audit_events": auditEvents.statements,
  "0049_suspensions": suspensions.statements,
  "0051_exports": exports.statements,
  "0053_app_logos": appLogos.statements,
  "0054_access_log_times": accessLogTimes.statements,
  "0056_places_left_out": placesLeftOut.statements,
  "0058_steering": steering.statements,
  "0061_time_zones": timeZones.statements,
  "0062_erasures": erasures.statements,
  "0063_notice_choices": noticeChoices.statements,
  "0064_setup_links": setupLinks.statements,
  "0065_languages": languages.statements,
  "0066_fix_counts": fixCounts.statements,
  "0067_test_people": testPeople.statements,
  "0070_figures": figures.statements,
  "0071_attempt_exchanges": attemptExchanges.statements,
  "0072_endpoint_headers": endpointHeaders.statements,
  "0073_app_teams": appTeams.statements,
  "0079_import_details": importDetails.statements,
  "0080_import_senders": importSenders.statements,
  "0082_settling": settling.statements,
  "0083_silent_stays": silentStays.statements,
  "0086_silence": silence.statements,
  "0087_outbox_order": outboxOrder.statements,
  "0088_visits_told": visitsTold.statements,
  "0089_live_tokens": liveTokens.statements,
  "0090_orphan_backfills": orphanBackfills.statements,
  "0091_own_faults": ownFaults.statements,
  "0092_past_suspensions": pastSuspensions.statements,
  "0093_earlier_visits_agreed": earlierVisitsAgreed.statements,
  "0094_account_reads": accountReads.statements,
  "0095_imported_devices": importedDevices.statements,
  "0096_imported_erasures": importedErasures.statements,
  "0097_devices_visited": devicesVisited.statements,
  "0098_failed_deliveries": failedDeliveries.statements,
  "0099_flagged_connections": flaggedConnections.statements,
  "0100_wrong_codes": wrongCodes.statements,
  "0101_quarantine_times": quarantineTimes.statements
}
