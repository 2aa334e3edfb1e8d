CREATE TABLE "previews" (
	"digest" text PRIMARY KEY NOT NULL,
	"namespace" text NOT NULL,
	"name" text NOT NULL,
	"at" text NOT NULL,
	"by_user" text NOT NULL,
	"base" text NOT NULL,
	"preview" text NOT NULL
);
--> statement-breakpoint
CREATE INDEX "previews_at" ON "previews" USING btree ("at");