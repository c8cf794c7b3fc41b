package dev.cassidy.jdbc;

import dev.cassidy.jdbc.error.Unserved;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.ShardingKey;

/** What a connection to Cassandra does not have, refused by name. */
abstract class UnservedConnection implements Connection {

    @Override
    public SQLXML createSQLXML() throws SQLException {
        throw Unserved.method("Connection.createSQLXML()");
    }

    @Override
    public CallableStatement prepareCall(String sql) throws SQLException {
        throw call("Connection.prepareCall(String)");
    }

    @Override
    public CallableStatement prepareCall(String sql, int type, int concurrency) throws SQLException {
        throw call("Connection.prepareCall(String, int, int)");
    }

    @Override
    public CallableStatement prepareCall(String sql, int type, int concurrency, int holdability) throws SQLException {
        throw call("Connection.prepareCall(String, int, int, int)");
    }

    private static SQLException call(String signature) {
        return Unserved.feature(signature + " is not served: Cassandra has no stored procedures; send the procedure's"
                + " statements, each by prepareStatement");
    }

    @Override
    public void setShardingKey(ShardingKey shardingKey) throws SQLException {
        throw Unserved.method("Connection.setShardingKey(ShardingKey)");
    }

    @Override
    public void setShardingKey(ShardingKey shardingKey, ShardingKey shardingKey2) throws SQLException {
        throw Unserved.method("Connection.setShardingKey(ShardingKey, ShardingKey)");
    }

    @Override
    public boolean setShardingKeyIfValid(ShardingKey shardingKey, ShardingKey shardingKey2, int number)
            throws SQLException {
        throw Unserved.method("Connection.setShardingKeyIfValid(ShardingKey, ShardingKey, int)");
    }

    @Override
    public boolean setShardingKeyIfValid(ShardingKey shardingKey, int number) throws SQLException {
        throw Unserved.method("Connection.setShardingKeyIfValid(ShardingKey, int)");
    }
}
