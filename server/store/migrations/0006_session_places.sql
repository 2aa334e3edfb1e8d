ALTER TABLE "sessions" ADD COLUMN "handle" text DEFAULT gen_random_uuid()::text NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "address" text;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "agent" text;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "last_used_at" text;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "ended_at" text;--> statement-breakpoint
CREATE INDEX "sessions_ended_at" ON "sessions" USING btree ("ended_at");--> statement-breakpoint
CREATE INDEX "sessions_user" ON "sessions" USING btree ("user_name");--> statement-breakpoint
CREATE UNIQUE INDEX "sessions_handle" ON "sessions" USING btree ("handle");