package dev.cassidy.jdbc;

import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.NClob;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Savepoint;
import java.sql.ShardingKey;
import java.sql.Struct;
import java.util.Map;

/** What a connection to Cassandra has not, refused by name. */
abstract class UnservedConnection implements Connection {

    @Override
    public Array createArrayOf(String name, Object[] values) throws SQLException {
        throw Unserved.method("Connection.createArrayOf(String, Object[])");
    }

    @Override
    public Blob createBlob() throws SQLException {
        throw Unserved.method("Connection.createBlob()");
    }

    @Override
    public Clob createClob() throws SQLException {
        throw Unserved.method("Connection.createClob()");
    }

    @Override
    public NClob createNClob() throws SQLException {
        throw Unserved.method("Connection.createNClob()");
    }

    @Override
    public SQLXML createSQLXML() throws SQLException {
        throw Unserved.method("Connection.createSQLXML()");
    }

    @Override
    public Struct createStruct(String name, Object[] values) throws SQLException {
        throw Unserved.method("Connection.createStruct(String, Object[])");
    }

    @Override
    public CallableStatement prepareCall(String name) throws SQLException {
        throw Unserved.method("Connection.prepareCall(String)");
    }

    @Override
    public CallableStatement prepareCall(String name, int number, int number2) throws SQLException {
        throw Unserved.method("Connection.prepareCall(String, int, int)");
    }

    @Override
    public CallableStatement prepareCall(String name, int number, int number2, int number3) throws SQLException {
        throw Unserved.method("Connection.prepareCall(String, int, int, int)");
    }

    @Override
    public void releaseSavepoint(Savepoint savepoint) throws SQLException {
        throw Unserved.method("Connection.releaseSavepoint(Savepoint)");
    }

    @Override
    public Savepoint setSavepoint() throws SQLException {
        throw Unserved.method("Connection.setSavepoint()");
    }

    @Override
    public Savepoint setSavepoint(String name) throws SQLException {
        throw Unserved.method("Connection.setSavepoint(String)");
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

    @Override
    public void setTypeMap(Map<String, Class<?>> map) throws SQLException {
        throw Unserved.method("Connection.setTypeMap(Map)");
    }
}
