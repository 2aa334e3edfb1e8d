CREATE TABLE "audit" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"id" text NOT NULL,
	"at" text NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"api_version" text NOT NULL,
	"kind" text NOT NULL,
	"namespace" text,
	"name" text NOT NULL,
	"message" text NOT NULL,
	"data" text,
	"previous" text NOT NULL,
	"hash" text NOT NULL,
	CONSTRAINT "audit_id_unique" UNIQUE("id")
);
--> statement-breakpoint
CREATE TABLE "scale_samples" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"key" text NOT NULL,
	"at" text NOT NULL,
	"stage_min" double precision,
	"stage_max" double precision,
	"desired" double precision,
	"actual" double precision
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"cookie_hash" text PRIMARY KEY NOT NULL,
	"user_name" text NOT NULL,
	"groups" jsonb NOT NULL,
	"uid" text,
	"mode" text NOT NULL,
	"may_invite" boolean NOT NULL,
	"sealed_token" text,
	"created_at" text NOT NULL,
	"expires_at" text NOT NULL
);
--> statement-breakpoint
CREATE INDEX "audit_at" ON "audit" USING btree ("at");--> statement-breakpoint
CREATE INDEX "audit_about" ON "audit" USING btree ("namespace","name");--> statement-breakpoint
CREATE INDEX "scale_samples_key_at" ON "scale_samples" USING btree ("key","at");--> statement-breakpoint
CREATE INDEX "scale_samples_at" ON "scale_samples" USING btree ("at");--> statement-breakpoint
CREATE INDEX "sessions_expires_at" ON "sessions" USING btree ("expires_at");