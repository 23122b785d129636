// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {GasTest} from "./Gas.t.sol";
import {MockUSDC} from "./mocks/MockUSDC.sol";

interface IFiatToken {
    function initialize(
        string calldata name,
        string calldata symbol,
        string calldata currency,
        uint8 decimals,
        address masterMinter,
        address pauser,
        address blacklister,
        address owner
    ) external;
    function initializeV2(string calldata name) external;
    function initializeV2_1(address lostAndFound) external;
    function initializeV2_2(address[] calldata blacklist, string calldata symbol) external;
    function configureMinter(address minter, uint256 allowance) external returns (bool);
}

/// @dev The same figures over Circle's own FiatTokenV2_2 behind its proxy. tools/contracts/usdc.ts gets the code, which is
/// no part of this repository; without it the test is skipped.
contract UsdcGasTest is GasTest {
    string private constant CODE = ".cache/contracts/usdc.json";

    function setUp() public override {
        vm.skip(!vm.exists(CODE));
        super.setUp();
    }

    function _newToken() internal override returns (MockUSDC) {
        string memory code = vm.readFile(CODE);
        // The implementation is linked to its signature library at this address.
        vm.etch(address(0x51C4EC), vm.parseJsonBytes(code, ".signatureChecker"));
        address implementation = _create(vm.parseJsonBytes(code, ".implementation"));
        IFiatToken usdc =
            IFiatToken(_create(abi.encodePacked(vm.parseJsonBytes(code, ".proxy"), abi.encode(implementation))));
        // The proxy's admin is its deployer, whom it lets call nothing of the token.
        vm.startPrank(admin);
        usdc.initialize("USD Coin", "USDC", "USD", 6, admin, admin, admin, admin);
        usdc.initializeV2("USD Coin");
        usdc.initializeV2_1(makeAddr("lost and found"));
        usdc.initializeV2_2(new address[](0), "USDC");
        usdc.configureMinter(address(this), type(uint256).max);
        vm.stopPrank();
        return MockUSDC(address(usdc));
    }

    function _create(bytes memory code) private returns (address created) {
        vm.prank(makeAddr("deployer"));
        assembly {
            created := create(0, add(code, 0x20), mload(code))
        }
        require(created != address(0), "the code could not be deployed");
    }

    function _file() internal pure override returns (string memory) {
        return ".cache/contracts/gas-usdc.json";
    }

    /// @dev Measured, not limited: the code is not ours.
    function _judge(string memory) internal view override {}
}
