/** Changes to apps in production that wait for a reviewer. */
export const statements = [
  // The scopes and origins that were approved at some time: the developer can use them again without a review. The
  // scopes and origins of an app in production count as approved too. So an earlier version of the program, which may
  // run beside this one, need not write these two columns.
  `ALTER TABLE apps
    ADD COLUMN approved_scopes text[] NOT NULL DEFAULT '{}',
    ADD COLUMN approved_origins text[] NOT NULL DEFAULT '{}',
    -- {name, description, homepageUrl, scopes, redirectUris}, each null when it is to stay; null when nothing waits
    ADD COLUMN proposal jsonb`,
  // An app may have given up scopes since it was approved. The decisions that approved the app still have all scopes
  // that were approved.
  `UPDATE apps a SET approved_scopes = d.scopes
   FROM (
     SELECT app_id, array_agg(DISTINCT scope) AS scopes
     FROM review_decisions, jsonb_array_elements_text(subject -> 'declaredScopes') AS scope
     WHERE subject_kind = 'app' AND kind = 'approved'
     GROUP BY app_id
   ) d
   WHERE d.app_id = a.app_id AND a.status = 'production'`
]
