-- The table that H2 spells differently: it knows no INDEX in CREATE TABLE.
CREATE TABLE dbo.owners (
    id INT IDENTITY(1,1) NOT NULL PRIMARY KEY,
    first_name NVARCHAR(30) NOT NULL,
    last_name NVARCHAR(30) NOT NULL,
    address NVARCHAR(255) NULL,
    city NVARCHAR(80) NULL,
    telephone VARCHAR(20) NULL,
    version INT NOT NULL DEFAULT 0
)
GO
