CREATE TABLE "audit_keys" (
	"public_key" text PRIMARY KEY NOT NULL,
	"since" text NOT NULL,
	"endorsed_by" text,
	"endorsement" text
);
