package dev.cassidy.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GrantsTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "User app has no MODIFY permission on <table shop.orders>|GRANT MODIFY ON shop.orders TO app",
                "User Clerk 1 has no SELECT permission on <table shop.Orders>|GRANT SELECT ON shop.\"Orders\" TO \"Clerk 1\"",
                "User app has no ALTER permission on <keyspace shop>|GRANT ALTER ON KEYSPACE shop TO app",
                "User app has no CREATE permission on <all tables in shop>"
                        + "|GRANT CREATE ON ALL TABLES IN KEYSPACE shop TO app",
                "User app has no EXECUTE permission on <function shop.crdt_sum(bigint, text)>"
                        + "|GRANT EXECUTE ON FUNCTION shop.crdt_sum(bigint, text) TO app"
            })
    void shouldNameTheOneStatementThatGrantsWhatWasMissing(String refusal, String grant) {
        UnauthorizedException refused = new UnauthorizedException(null, refusal + " or any of its parents");

        assertThat(Grants.statement(refused)).contains(grant);
        assertThat(Grants.message(refused)).startsWith(refusal).endsWith(": " + grant);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "User app has no CREATE permission on <all keyspaces> or any of its parents",
                "User app has no ALTER permission on <role cassandra> or any of its parents",
                "Only superusers can create a role with superuser status",
                "You have to be logged in and not anonymous to perform this request"
            })
    void shouldNotAdviseARightThatGrantsMore(String refusal) {
        UnauthorizedException refused = new UnauthorizedException(null, refusal);

        assertThat(Grants.statement(refused)).isEmpty();
        assertThat(Grants.message(refused)).isEqualTo(refusal);
    }

    @Test
    void shouldFindARefusalBehindOtherFailures() {
        UnauthorizedException refused = new UnauthorizedException(null, "no");

        assertThat(Grants.refusal(new IllegalStateException(new IllegalArgumentException(refused))))
                .isSameAs(refused);
        assertThat(Grants.refusal(new IllegalStateException())).isNull();
    }

    /** A node that cannot reach the replicas of system_auth refuses everything; that is no missing right. */
    @Test
    void shouldNotTakeUnknownPermissionsForMissingOnes() {
        UnauthorizedException unknown = new UnauthorizedException(
                null, "Unable to perform authorization of permissions: Cannot achieve consistency level LOCAL_ONE");

        assertThat(Grants.isMissing(unknown)).isFalse();
        assertThat(Grants.refusal(new IllegalStateException(unknown))).isNull();
    }
}
