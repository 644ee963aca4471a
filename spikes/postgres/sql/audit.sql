-- What the race is judged by: the database's own record of every change, kept by triggers.
CREATE UNLOGGED TABLE audit_turn (runner uuid, before bigint, after bigint);
CREATE UNLOGGED TABLE audit_created (
    run uuid, worker text, scheduled_for bigint, attempt smallint);
CREATE UNLOGGED TABLE audit_claim (
    seq bigserial, run uuid, worker text, runner uuid, fence bigint, was text, held bigint);
CREATE UNLOGGED TABLE audit_left (
    run uuid, fence bigint, runner uuid, lease_expires_at bigint, cancel_at bigint);
CREATE UNLOGGED TABLE audit_done (run uuid, hash text);

CREATE FUNCTION audit_runner() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO audit_turn VALUES (new.id, old.turn, new.turn);
    RETURN NULL;
END $$;
CREATE TRIGGER audit AFTER UPDATE OF turn ON runner FOR EACH ROW EXECUTE FUNCTION audit_runner();

CREATE FUNCTION audit_live() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    CASE tg_op
    WHEN 'INSERT' THEN
        INSERT INTO audit_created VALUES (new.id, new.worker, new.scheduled_for, new.attempt);
    WHEN 'UPDATE' THEN
        IF new.fence IS NOT NULL AND new.fence IS DISTINCT FROM old.fence THEN
            INSERT INTO audit_claim (run, worker, runner, fence, was, held)
            VALUES (new.id, new.worker, new.runner, new.fence, old.status,
                (SELECT count(*) FROM run_live WHERE runner = new.runner AND status = 'RUNNING'));
        END IF;
    WHEN 'DELETE' THEN
        INSERT INTO audit_left
        VALUES (old.id, old.fence, old.runner, old.lease_expires_at, old.cancel_at);
    END CASE;
    RETURN NULL;
END $$;
CREATE TRIGGER audit AFTER INSERT OR UPDATE OR DELETE ON run_live
    FOR EACH ROW EXECUTE FUNCTION audit_live();

CREATE FUNCTION audit_done() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO audit_done VALUES (new.id, md5(new::text));
    RETURN NULL;
END $$;
CREATE TRIGGER audit AFTER INSERT ON run_done FOR EACH ROW EXECUTE FUNCTION audit_done();
