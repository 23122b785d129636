// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Vm} from "forge-std/Vm.sol";
import {Authorization, ItemCode} from "../src/PaymentTypes.sol";
import {DirectFixture} from "./DirectFixture.sol";
import {HostileToken} from "./mocks/HostileToken.sol";

/// @dev A token can lie about its own transfers. It costs nobody another token, and the batch contract holds nothing.
contract DirectHostileTokensTest is DirectFixture {
    HostileToken internal bad;

    function setUp() public override {
        super.setUp();
        bad = new HostileToken();
        bad.mint(payer, FUNDS);
    }

    function _settleBad(bytes memory groups) internal returns (bytes memory) {
        vm.prank(stranger);
        return direct.settle{gas: 3_000_000}(address(bad), CALL_GAS, groups);
    }

    function _twoItems() internal returns (bytes memory) {
        return abi.encodePacked(_head(merchant, PAYOUT, 2), _paid(merchant, 10_000), _paid(merchant, 10_000));
    }

    function test_aBlacklistedPayerIsRefusedAloneAndPaysLater() public {
        address other = vm.addr(_key(1));
        token.mint(other, 500);
        bytes memory groups = abi.encodePacked(
            _head(merchant, PAYOUT, 2), _keyItem(_key(1), _authorization(other, 300), merchant, 1), _paid(merchant, 70)
        );
        token.setBlacklisted(other, true);
        bytes memory codes = _direct(groups);
        _expect(codes, 0, ItemCode.PullRefused);
        _expect(codes, 1, ItemCode.Settled);
        token.setBlacklisted(other, false);
        codes = _direct(groups);
        _expect(codes, 0, ItemCode.Settled);
        _expect(codes, 1, ItemCode.AuthorizationUsed);
        assertEq(token.balanceOf(merchant), 370);
    }

    function test_aBlacklistedWalletIsRefusedAndTheOthersArePaid() public {
        bytes memory groups = abi.encodePacked(_to(merchant, _paid(merchant, 300)), _to(partner, _paid(partner, 70)));
        token.setBlacklisted(merchant, true);
        bytes memory codes = _direct(groups);
        _expect(codes, 0, ItemCode.PullRefused);
        _expect(codes, 1, ItemCode.Settled);
        assertEq(token.balanceOf(payer), FUNDS - 70);
    }

    function test_aPausedTokenRefusesEveryItemAndSettlesThemWhenItResumes() public {
        bytes memory groups = abi.encodePacked(_to(merchant, _paid(merchant, 300)), _to(partner, _paid(partner, 70)));
        token.setPaused(true);
        bytes memory codes = _direct(groups);
        _expect(codes, 0, ItemCode.PullRefused);
        _expect(codes, 1, ItemCode.PullRefused);
        token.setPaused(false);
        assertEq(_direct(groups), new bytes(2));
    }

    function test_anAnswerOfTrueIsATransferAndAnyOtherIsARefusal() public {
        bad.setMode(HostileToken.Mode.PullTrue);
        assertEq(_settleBad(_twoItems()), new bytes(2));
        bad.setMode(HostileToken.Mode.PullFalse);
        bytes memory codes = _settleBad(_twoItems());
        _expect(codes, 0, ItemCode.AuthorizationUsed);
        assertEq(bad.balanceOf(merchant), 20_000, "a false moved nothing");
        bad.setMode(HostileToken.Mode.PullShortAnswer);
        codes =
            _settleBad(abi.encodePacked(_head(merchant, PAYOUT, 2), _paid(merchant, 10_000), _paid(merchant, 10_001)));
        _expect(codes, 0, ItemCode.Settled);
        _expect(codes, 1, ItemCode.AuthorizationUsed);
    }

    /// @dev The code says what the token answered; that money moved, the token's logs prove, and here there are none.
    function test_aUsedNonceWithoutRevertMovesNothingAndLogsNothing() public {
        bad.setMode(HostileToken.Mode.UsedNonceWithoutRevert);
        bytes memory groups = _to(merchant, _paid(merchant, 10_000));
        _settleBad(groups);
        vm.recordLogs();
        _expect(_settleBad(groups), 0, ItemCode.Settled);
        assertEq(vm.getRecordedLogs().length, 0);
        assertEq(bad.balanceOf(merchant), 10_000);
    }

    function test_aTransferThatOnlyPretendsLogsNothing() public {
        bad.setMode(HostileToken.Mode.PullWithoutMove);
        vm.recordLogs();
        _settleBad(_twoItems());
        assertEq(vm.getRecordedLogs().length, 0);
        assertEq(bad.balanceOf(payer), FUNDS);
    }

    function test_aFeeOnTransferIsBetweenTokenPayerAndWallet() public {
        bad.setMode(HostileToken.Mode.FeeFromRecipient);
        assertEq(_settleBad(_twoItems()), new bytes(2));
        assertEq(bad.balanceOf(merchant), 19_800);
        assertEq(bad.balanceOf(address(direct)), 0);
    }

    function test_revertBombsAndGasBurnsAreRefusedOneByOne() public {
        HostileToken.Mode[3] memory modes =
            [HostileToken.Mode.PullRevertBomb, HostileToken.Mode.PullGasBurn, HostileToken.Mode.StateRevertBomb];
        for (uint256 i; i < modes.length; ++i) {
            bad.setMode(modes[i]);
            bytes memory codes = _settleBad(_twoItems());
            _expect(codes, 0, ItemCode.PullRefused);
            _expect(codes, 1, ItemCode.PullRefused);
        }
    }

    /// @dev In the middle of a batch the token calls back, with another batch of the real token.
    function test_aCallBackMovesOnlyWhatIsSigned() public {
        bytes memory signed = _to(merchant, _paid(merchant, 300));
        bytes memory redirected = _to(address(bad), _paid(merchant, 400));
        bytes memory inner = abi.encodePacked(signed, redirected);
        bad.reenter(address(direct), abi.encodeCall(direct.settle, (address(token), CALL_GAS, inner)));
        vm.prank(stranger);
        assertEq(direct.settle(address(bad), 2_000_000, _twoItems()), new bytes(2));
        assertEq(token.balanceOf(merchant), 300);
        assertEq(token.balanceOf(payer), FUNDS - 300);
        assertEq(token.balanceOf(address(bad)), 0);
        assertEq(bad.balanceOf(merchant), 20_000);
        assertEq(token.balanceOf(address(direct)) + bad.balanceOf(address(direct)), 0);
    }
}
