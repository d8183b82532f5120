/** How many codes of the code app were wrong in a row (decision factors-4). A server before this column counts none. */
export const statements = [`ALTER TABLE code_apps ADD COLUMN wrong_codes bigint NOT NULL DEFAULT 0`]
