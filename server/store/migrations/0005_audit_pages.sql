DROP INDEX "audit_at";--> statement-breakpoint
DROP INDEX "audit_about";--> statement-breakpoint
CREATE INDEX "audit_namespace" ON "audit" USING btree ("namespace","seq");--> statement-breakpoint
CREATE INDEX "audit_actor" ON "audit" USING btree ("actor","seq");--> statement-breakpoint
CREATE INDEX "audit_action" ON "audit" USING btree ("action","seq");