package dev.cassidy.jdbc;

import dev.cassidy.jdbc.error.Unserved;
import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.SQLXML;
import java.sql.Time;
import java.sql.Timestamp;

/** What a read-only result does not do, refused by name. */
abstract class UnservedResultSet implements ResultSet {

    @Override
    public void cancelRowUpdates() throws SQLException {
        throw Unserved.method("ResultSet.cancelRowUpdates()");
    }

    @Override
    public void deleteRow() throws SQLException {
        throw Unserved.method("ResultSet.deleteRow()");
    }

    @Override
    public String getCursorName() throws SQLException {
        throw Unserved.method("ResultSet.getCursorName()");
    }

    @Override
    public Ref getRef(String name) throws SQLException {
        throw Unserved.method("ResultSet.getRef(String)");
    }

    @Override
    public Ref getRef(int number) throws SQLException {
        throw Unserved.method("ResultSet.getRef(int)");
    }

    @Override
    public RowId getRowId(String name) throws SQLException {
        throw Unserved.method("ResultSet.getRowId(String)");
    }

    @Override
    public RowId getRowId(int number) throws SQLException {
        throw Unserved.method("ResultSet.getRowId(int)");
    }

    @Override
    public SQLXML getSQLXML(String name) throws SQLException {
        throw Unserved.method("ResultSet.getSQLXML(String)");
    }

    @Override
    public SQLXML getSQLXML(int number) throws SQLException {
        throw Unserved.method("ResultSet.getSQLXML(int)");
    }

    @Override
    @Deprecated
    public InputStream getUnicodeStream(String name) throws SQLException {
        throw Unserved.method("ResultSet.getUnicodeStream(String)");
    }

    @Override
    @Deprecated
    public InputStream getUnicodeStream(int number) throws SQLException {
        throw Unserved.method("ResultSet.getUnicodeStream(int)");
    }

    @Override
    public void insertRow() throws SQLException {
        throw Unserved.method("ResultSet.insertRow()");
    }

    @Override
    public void moveToCurrentRow() throws SQLException {
        throw Unserved.method("ResultSet.moveToCurrentRow()");
    }

    @Override
    public void moveToInsertRow() throws SQLException {
        throw Unserved.method("ResultSet.moveToInsertRow()");
    }

    @Override
    public void refreshRow() throws SQLException {
        throw Unserved.method("ResultSet.refreshRow()");
    }

    @Override
    public boolean rowDeleted() throws SQLException {
        throw Unserved.method("ResultSet.rowDeleted()");
    }

    @Override
    public boolean rowInserted() throws SQLException {
        throw Unserved.method("ResultSet.rowInserted()");
    }

    @Override
    public boolean rowUpdated() throws SQLException {
        throw Unserved.method("ResultSet.rowUpdated()");
    }

    @Override
    public void updateArray(String name, Array array) throws SQLException {
        throw Unserved.method("ResultSet.updateArray(String, Array)");
    }

    @Override
    public void updateArray(int number, Array array) throws SQLException {
        throw Unserved.method("ResultSet.updateArray(int, Array)");
    }

    @Override
    public void updateAsciiStream(String name, InputStream inputStream) throws SQLException {
        throw Unserved.method("ResultSet.updateAsciiStream(String, InputStream)");
    }

    @Override
    public void updateAsciiStream(String name, InputStream inputStream, int number) throws SQLException {
        throw Unserved.method("ResultSet.updateAsciiStream(String, InputStream, int)");
    }

    @Override
    public void updateAsciiStream(String name, InputStream inputStream, long number) throws SQLException {
        throw Unserved.method("ResultSet.updateAsciiStream(String, InputStream, long)");
    }

    @Override
    public void updateAsciiStream(int number, InputStream inputStream) throws SQLException {
        throw Unserved.method("ResultSet.updateAsciiStream(int, InputStream)");
    }

    @Override
    public void updateAsciiStream(int number, InputStream inputStream, int number2) throws SQLException {
        throw Unserved.method("ResultSet.updateAsciiStream(int, InputStream, int)");
    }

    @Override
    public void updateAsciiStream(int number, InputStream inputStream, long number2) throws SQLException {
        throw Unserved.method("ResultSet.updateAsciiStream(int, InputStream, long)");
    }

    @Override
    public void updateBigDecimal(String name, BigDecimal bigDecimal) throws SQLException {
        throw Unserved.method("ResultSet.updateBigDecimal(String, BigDecimal)");
    }

    @Override
    public void updateBigDecimal(int number, BigDecimal bigDecimal) throws SQLException {
        throw Unserved.method("ResultSet.updateBigDecimal(int, BigDecimal)");
    }

    @Override
    public void updateBinaryStream(String name, InputStream inputStream) throws SQLException {
        throw Unserved.method("ResultSet.updateBinaryStream(String, InputStream)");
    }

    @Override
    public void updateBinaryStream(String name, InputStream inputStream, int number) throws SQLException {
        throw Unserved.method("ResultSet.updateBinaryStream(String, InputStream, int)");
    }

    @Override
    public void updateBinaryStream(String name, InputStream inputStream, long number) throws SQLException {
        throw Unserved.method("ResultSet.updateBinaryStream(String, InputStream, long)");
    }

    @Override
    public void updateBinaryStream(int number, InputStream inputStream) throws SQLException {
        throw Unserved.method("ResultSet.updateBinaryStream(int, InputStream)");
    }

    @Override
    public void updateBinaryStream(int number, InputStream inputStream, int number2) throws SQLException {
        throw Unserved.method("ResultSet.updateBinaryStream(int, InputStream, int)");
    }

    @Override
    public void updateBinaryStream(int number, InputStream inputStream, long number2) throws SQLException {
        throw Unserved.method("ResultSet.updateBinaryStream(int, InputStream, long)");
    }

    @Override
    public void updateBlob(String name, Blob blob) throws SQLException {
        throw Unserved.method("ResultSet.updateBlob(String, Blob)");
    }

    @Override
    public void updateBlob(String name, InputStream inputStream) throws SQLException {
        throw Unserved.method("ResultSet.updateBlob(String, InputStream)");
    }

    @Override
    public void updateBlob(String name, InputStream inputStream, long number) throws SQLException {
        throw Unserved.method("ResultSet.updateBlob(String, InputStream, long)");
    }

    @Override
    public void updateBlob(int number, Blob blob) throws SQLException {
        throw Unserved.method("ResultSet.updateBlob(int, Blob)");
    }

    @Override
    public void updateBlob(int number, InputStream inputStream) throws SQLException {
        throw Unserved.method("ResultSet.updateBlob(int, InputStream)");
    }

    @Override
    public void updateBlob(int number, InputStream inputStream, long number2) throws SQLException {
        throw Unserved.method("ResultSet.updateBlob(int, InputStream, long)");
    }

    @Override
    public void updateBoolean(String name, boolean flag) throws SQLException {
        throw Unserved.method("ResultSet.updateBoolean(String, boolean)");
    }

    @Override
    public void updateBoolean(int number, boolean flag) throws SQLException {
        throw Unserved.method("ResultSet.updateBoolean(int, boolean)");
    }

    @Override
    public void updateByte(String name, byte value) throws SQLException {
        throw Unserved.method("ResultSet.updateByte(String, byte)");
    }

    @Override
    public void updateByte(int number, byte value) throws SQLException {
        throw Unserved.method("ResultSet.updateByte(int, byte)");
    }

    @Override
    public void updateBytes(String name, byte[] values) throws SQLException {
        throw Unserved.method("ResultSet.updateBytes(String, byte[])");
    }

    @Override
    public void updateBytes(int number, byte[] values) throws SQLException {
        throw Unserved.method("ResultSet.updateBytes(int, byte[])");
    }

    @Override
    public void updateCharacterStream(String name, Reader reader) throws SQLException {
        throw Unserved.method("ResultSet.updateCharacterStream(String, Reader)");
    }

    @Override
    public void updateCharacterStream(String name, Reader reader, int number) throws SQLException {
        throw Unserved.method("ResultSet.updateCharacterStream(String, Reader, int)");
    }

    @Override
    public void updateCharacterStream(String name, Reader reader, long number) throws SQLException {
        throw Unserved.method("ResultSet.updateCharacterStream(String, Reader, long)");
    }

    @Override
    public void updateCharacterStream(int number, Reader reader) throws SQLException {
        throw Unserved.method("ResultSet.updateCharacterStream(int, Reader)");
    }

    @Override
    public void updateCharacterStream(int number, Reader reader, int number2) throws SQLException {
        throw Unserved.method("ResultSet.updateCharacterStream(int, Reader, int)");
    }

    @Override
    public void updateCharacterStream(int number, Reader reader, long number2) throws SQLException {
        throw Unserved.method("ResultSet.updateCharacterStream(int, Reader, long)");
    }

    @Override
    public void updateClob(String name, Clob clob) throws SQLException {
        throw Unserved.method("ResultSet.updateClob(String, Clob)");
    }

    @Override
    public void updateClob(String name, Reader reader) throws SQLException {
        throw Unserved.method("ResultSet.updateClob(String, Reader)");
    }

    @Override
    public void updateClob(String name, Reader reader, long number) throws SQLException {
        throw Unserved.method("ResultSet.updateClob(String, Reader, long)");
    }

    @Override
    public void updateClob(int number, Clob clob) throws SQLException {
        throw Unserved.method("ResultSet.updateClob(int, Clob)");
    }

    @Override
    public void updateClob(int number, Reader reader) throws SQLException {
        throw Unserved.method("ResultSet.updateClob(int, Reader)");
    }

    @Override
    public void updateClob(int number, Reader reader, long number2) throws SQLException {
        throw Unserved.method("ResultSet.updateClob(int, Reader, long)");
    }

    @Override
    public void updateDate(String name, Date date) throws SQLException {
        throw Unserved.method("ResultSet.updateDate(String, Date)");
    }

    @Override
    public void updateDate(int number, Date date) throws SQLException {
        throw Unserved.method("ResultSet.updateDate(int, Date)");
    }

    @Override
    public void updateDouble(String name, double value) throws SQLException {
        throw Unserved.method("ResultSet.updateDouble(String, double)");
    }

    @Override
    public void updateDouble(int number, double value) throws SQLException {
        throw Unserved.method("ResultSet.updateDouble(int, double)");
    }

    @Override
    public void updateFloat(String name, float value) throws SQLException {
        throw Unserved.method("ResultSet.updateFloat(String, float)");
    }

    @Override
    public void updateFloat(int number, float value) throws SQLException {
        throw Unserved.method("ResultSet.updateFloat(int, float)");
    }

    @Override
    public void updateInt(String name, int number) throws SQLException {
        throw Unserved.method("ResultSet.updateInt(String, int)");
    }

    @Override
    public void updateInt(int number, int number2) throws SQLException {
        throw Unserved.method("ResultSet.updateInt(int, int)");
    }

    @Override
    public void updateLong(String name, long number) throws SQLException {
        throw Unserved.method("ResultSet.updateLong(String, long)");
    }

    @Override
    public void updateLong(int number, long number2) throws SQLException {
        throw Unserved.method("ResultSet.updateLong(int, long)");
    }

    @Override
    public void updateNCharacterStream(String name, Reader reader) throws SQLException {
        throw Unserved.method("ResultSet.updateNCharacterStream(String, Reader)");
    }

    @Override
    public void updateNCharacterStream(String name, Reader reader, long number) throws SQLException {
        throw Unserved.method("ResultSet.updateNCharacterStream(String, Reader, long)");
    }

    @Override
    public void updateNCharacterStream(int number, Reader reader) throws SQLException {
        throw Unserved.method("ResultSet.updateNCharacterStream(int, Reader)");
    }

    @Override
    public void updateNCharacterStream(int number, Reader reader, long number2) throws SQLException {
        throw Unserved.method("ResultSet.updateNCharacterStream(int, Reader, long)");
    }

    @Override
    public void updateNClob(String name, NClob nClob) throws SQLException {
        throw Unserved.method("ResultSet.updateNClob(String, NClob)");
    }

    @Override
    public void updateNClob(String name, Reader reader) throws SQLException {
        throw Unserved.method("ResultSet.updateNClob(String, Reader)");
    }

    @Override
    public void updateNClob(String name, Reader reader, long number) throws SQLException {
        throw Unserved.method("ResultSet.updateNClob(String, Reader, long)");
    }

    @Override
    public void updateNClob(int number, NClob nClob) throws SQLException {
        throw Unserved.method("ResultSet.updateNClob(int, NClob)");
    }

    @Override
    public void updateNClob(int number, Reader reader) throws SQLException {
        throw Unserved.method("ResultSet.updateNClob(int, Reader)");
    }

    @Override
    public void updateNClob(int number, Reader reader, long number2) throws SQLException {
        throw Unserved.method("ResultSet.updateNClob(int, Reader, long)");
    }

    @Override
    public void updateNString(String name, String name2) throws SQLException {
        throw Unserved.method("ResultSet.updateNString(String, String)");
    }

    @Override
    public void updateNString(int number, String name) throws SQLException {
        throw Unserved.method("ResultSet.updateNString(int, String)");
    }

    @Override
    public void updateNull(String name) throws SQLException {
        throw Unserved.method("ResultSet.updateNull(String)");
    }

    @Override
    public void updateNull(int number) throws SQLException {
        throw Unserved.method("ResultSet.updateNull(int)");
    }

    @Override
    public void updateObject(String name, Object value) throws SQLException {
        throw Unserved.method("ResultSet.updateObject(String, Object)");
    }

    @Override
    public void updateObject(String name, Object value, SQLType sQLType) throws SQLException {
        throw Unserved.method("ResultSet.updateObject(String, Object, SQLType)");
    }

    @Override
    public void updateObject(String name, Object value, SQLType sQLType, int number) throws SQLException {
        throw Unserved.method("ResultSet.updateObject(String, Object, SQLType, int)");
    }

    @Override
    public void updateObject(String name, Object value, int number) throws SQLException {
        throw Unserved.method("ResultSet.updateObject(String, Object, int)");
    }

    @Override
    public void updateObject(int number, Object value) throws SQLException {
        throw Unserved.method("ResultSet.updateObject(int, Object)");
    }

    @Override
    public void updateObject(int number, Object value, SQLType sQLType) throws SQLException {
        throw Unserved.method("ResultSet.updateObject(int, Object, SQLType)");
    }

    @Override
    public void updateObject(int number, Object value, SQLType sQLType, int number2) throws SQLException {
        throw Unserved.method("ResultSet.updateObject(int, Object, SQLType, int)");
    }

    @Override
    public void updateObject(int number, Object value, int number2) throws SQLException {
        throw Unserved.method("ResultSet.updateObject(int, Object, int)");
    }

    @Override
    public void updateRef(String name, Ref ref) throws SQLException {
        throw Unserved.method("ResultSet.updateRef(String, Ref)");
    }

    @Override
    public void updateRef(int number, Ref ref) throws SQLException {
        throw Unserved.method("ResultSet.updateRef(int, Ref)");
    }

    @Override
    public void updateRow() throws SQLException {
        throw Unserved.method("ResultSet.updateRow()");
    }

    @Override
    public void updateRowId(String name, RowId rowId) throws SQLException {
        throw Unserved.method("ResultSet.updateRowId(String, RowId)");
    }

    @Override
    public void updateRowId(int number, RowId rowId) throws SQLException {
        throw Unserved.method("ResultSet.updateRowId(int, RowId)");
    }

    @Override
    public void updateSQLXML(String name, SQLXML sQLXML) throws SQLException {
        throw Unserved.method("ResultSet.updateSQLXML(String, SQLXML)");
    }

    @Override
    public void updateSQLXML(int number, SQLXML sQLXML) throws SQLException {
        throw Unserved.method("ResultSet.updateSQLXML(int, SQLXML)");
    }

    @Override
    public void updateShort(String name, short value) throws SQLException {
        throw Unserved.method("ResultSet.updateShort(String, short)");
    }

    @Override
    public void updateShort(int number, short value) throws SQLException {
        throw Unserved.method("ResultSet.updateShort(int, short)");
    }

    @Override
    public void updateString(String name, String name2) throws SQLException {
        throw Unserved.method("ResultSet.updateString(String, String)");
    }

    @Override
    public void updateString(int number, String name) throws SQLException {
        throw Unserved.method("ResultSet.updateString(int, String)");
    }

    @Override
    public void updateTime(String name, Time time) throws SQLException {
        throw Unserved.method("ResultSet.updateTime(String, Time)");
    }

    @Override
    public void updateTime(int number, Time time) throws SQLException {
        throw Unserved.method("ResultSet.updateTime(int, Time)");
    }

    @Override
    public void updateTimestamp(String name, Timestamp timestamp) throws SQLException {
        throw Unserved.method("ResultSet.updateTimestamp(String, Timestamp)");
    }

    @Override
    public void updateTimestamp(int number, Timestamp timestamp) throws SQLException {
        throw Unserved.method("ResultSet.updateTimestamp(int, Timestamp)");
    }
}
