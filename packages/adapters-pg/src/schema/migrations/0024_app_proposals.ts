/** Changes to apps in production that wait for a reviewer. */
export const statements = [
  // What was approved at some time: the developer can have it back without a review. What is declared and registered
  // in production counts as approved too, so that what an earlier version writes beside this one needs neither column.
  `ALTER TABLE apps
    ADD COLUMN approved_scopes text[] NOT NULL DEFAULT '{}',
    ADD COLUMN approved_origins text[] NOT NULL DEFAULT '{}',
    -- {name, description, homepageUrl, scopes, redirectUris}, each null when it is to stay; null when nothing waits
    ADD COLUMN proposal jsonb`,
  // Apps that gave scopes up since they were approved: what was approved is in the decision that let them into
  // production.
  `UPDATE apps a SET approved_scopes = d.scopes
   FROM (
     SELECT app_id, array_agg(DISTINCT scope) AS scopes
     FROM review_decisions, jsonb_array_elements_text(subject -> 'declaredScopes') AS scope
     WHERE subject_kind = 'app' AND kind = 'approved'
     GROUP BY app_id
   ) d
   WHERE d.app_id = a.app_id AND a.status = 'production'`
]
